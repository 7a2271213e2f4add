// Of two escapes that can be taken, the outer one is.
//! check --all-errors => holds states=49 transitions=80 errors=0
byte x, y;
active proctype p() { { { x = 1; x = 2 } unless { y >= 1 -> x = 3; x = 4 } } unless { y == 2 -> x = 5 }; x = 6 }
active proctype q() { y = 1; y = 2; y = 0 }
