// A blocked atomic sequence is interrupted, and goes on alone when it can.
//! check --all-errors => holds states=11 transitions=12 errors=0
byte x, y;
active proctype first() { atomic { x = 1; y == 2; x = 3; x = 4 } }
active proctype second() { x == 1; y = 1; y = 2; assert(x != 3) }
