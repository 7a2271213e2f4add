// What comes after a selection at the beginning of an option does not prevent its else; what comes before does.
//! check --all-errors => holds states=9 transitions=8 errors=0
byte x, y;
active proctype p() { if :: { if :: else -> x = 3 :: x == 1 fi; x = 1 } :: x = 4 fi; if :: y = 1 :: if :: y == 1 :: else -> assert(false) fi; y = 2 fi }
