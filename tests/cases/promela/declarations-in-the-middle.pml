// A declaration in the middle of a body is a step, and of an array only the first element is set.
//! check --all-errors => holds states=10 transitions=9 errors=0
byte x = 1;
active proctype p() { x = 2; byte w = x; byte b[3] = 4; assert(w == 2 && b[0] == 4 && b[1] == 0); { short s; s = -1; x = s } assert(x == 255) }
