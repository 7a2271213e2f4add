// An inline used as a value: `return` assigns, and does not leave the body.
//! check --all-errors => fails states=47 transitions=66 errors=4
byte x, y;
inline f(a) { y = a; return a + 1; y++ }
active proctype p() { x = f(3); assert(x == 4 && y == 4); x = f(x) }
active proctype q() { y = 9 }
