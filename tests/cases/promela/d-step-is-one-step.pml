// A deterministic sequence takes the first executable option, in one transition.
//! check --all-errors => holds states=17 transitions=24 errors=0
byte x, y;
active proctype p() { d_step { x = 1; if :: x == 2 -> y = 1 :: x == 1 -> y = 2 :: y = 3 fi; do :: x < 4 -> x++ :: else -> break od }; assert(y == 2 && x == 4) }
active proctype q() { byte a; a = x; assert(a == 0 || a == 4) }
