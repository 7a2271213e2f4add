// A jump at the beginning of an escape is no step of its own: the escape begins with what it leads to.
//! check --all-errors => holds states=3 transitions=2 errors=0
byte x, y;
active proctype p() { { y = 1; y = 2 } unless { goto out }; y = 7; out: x = 3 }
