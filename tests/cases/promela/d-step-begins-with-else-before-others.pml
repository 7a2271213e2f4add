// Only what comes before the `else` of a deterministic sequence prevents it: it is not moved to the end.
//! check --all-errors => holds states=9 transitions=8 errors=0
byte x = 1;
active proctype p() { if :: d_step { else -> x = 7 } :: x == 1 -> x = 2 :: x == 1 -> x = 3 fi }
