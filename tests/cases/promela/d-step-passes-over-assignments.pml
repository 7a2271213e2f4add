// Of the options a deterministic sequence begins with, only conditions and the like say whether it is executable.
//! check --all-errors => fails states=1 transitions=0 errors=1
byte x;
active proctype p() { d_step { if :: x = 1 :: x == 5 -> x = 2 fi } }
