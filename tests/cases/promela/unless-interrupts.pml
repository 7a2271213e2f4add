// The escape is tried before every statement of the main sequence.
//! check --all-errors => holds states=36 transitions=57 errors=0
byte x, y;
active proctype p() { { x = 1; x = 2; x = 3 } unless { y == 1 -> x = 7; x = 8 }; x = 9 }
active proctype q() { y = 1; y = 0 }
