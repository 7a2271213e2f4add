// The first statement of a deterministic sequence may block.
//! check --all-errors => holds states=16 transitions=19 errors=0
byte x, y;
active proctype p() { d_step { x > 0; y = x; x = 0 }; assert(y == 2 || y == 1) }
active proctype q() { x = 1; x = 2 }
