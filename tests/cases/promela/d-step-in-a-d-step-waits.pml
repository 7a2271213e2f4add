// A deterministic sequence that begins with another waits for the first statement of that.
//! check --all-errors => holds states=6 transitions=6 errors=0
byte x, y;
active proctype p() { d_step { d_step { y == 1; x = 1 }; x = 2 } }
active proctype q() { y = 1 }
