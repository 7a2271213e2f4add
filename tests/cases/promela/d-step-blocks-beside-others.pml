// Blocking inside a deterministic sequence, with others that go on. (SPIN stops there: 4 states, 1 error.)
//! check --all-errors => fails states=9 transitions=11 errors=4
byte x, y = 1, z;
active proctype p() { d_step { x == 0; y == 0; x = 1 } }
active proctype q() { z = 1; z = 2 }
