// In a deterministic sequence, select always takes the lower bound.
//! check --all-errors => holds states=4 transitions=3 errors=0
byte x, y = 3;
active proctype p() { d_step { select (x : 1 .. y); x++ }; assert(x == 2) }
