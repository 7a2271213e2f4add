// The escape begins with a statement that has an escape of its own, at which nobody rests: it is never taken.
//! check --all-errors => holds states=5 transitions=4 errors=0
byte x, y;
active proctype p() { { y = 1; y = 2 } unless { x = 1 unless x == 2; y = 3 }; y = 4 }
