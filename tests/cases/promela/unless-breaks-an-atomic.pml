// An escape interrupts an atomic sequence.
//! check --all-errors => holds states=16 transitions=22 errors=0
byte x, y;
active proctype p() { atomic { y = 1; x = 1; x = 2 } unless { y == 1 -> x = 7 }; x = 9 }
active proctype q() { byte a; a = x }
