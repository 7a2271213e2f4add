// The text of an inline ends with a `}`: no `;` is needed after its call.
//! check --all-errors => holds states=7 transitions=6 errors=0
byte x;
inline f(a) { x = x + a }
active proctype p() { f(1) f(2) assert(x == 3); if :: f(3) x++ fi }
