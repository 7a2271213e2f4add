// A loop in an atomic sequence passes through states nobody sees.
//! check --all-errors => holds states=18 transitions=23 errors=0
byte x, y;
active proctype p() { atomic { do :: x < 3 -> x++ :: x >= 2 -> break od; y = x } }
active proctype q() { byte a; a = x; assert(a == 0 || a >= 2) }
