// A deterministic sequence within an atomic one stays a single step of it.
//! check --all-errors => holds states=25 transitions=34 errors=0
byte x, y;
active proctype p() { atomic { x = 1; d_step { x = 2; if :: y == 0 -> x = 3 :: x = 4 fi; y = x }; x = 5; y < 9; x = 6 } x = 7 }
active proctype q() { y = 9; assert(x != 2 && x != 1); y = 0 }
