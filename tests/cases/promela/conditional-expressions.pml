// ( c -> a : b ), and operators of C.
//! check --all-errors => holds states=10 transitions=9 errors=0
byte x = 5; short y;
active proctype p() { y = (x > 3 -> x << 1 : -1); assert(y == 10); y = (x < 3 -> 1 : ~x); assert(y == -6); y = -7 / 2; assert(y == -3 && -7 % 2 == -1); y = (x & 4) | (x ^ 1); assert(y == 4) }
