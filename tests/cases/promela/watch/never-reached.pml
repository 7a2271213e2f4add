//! check --claim never => holds states=49 transitions=79
//! check --safety-only => holds states=40 transitions=72
byte x, y;
active proctype p() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active proctype q() { y++; assert(y < 5); y++ }
/* The claim can wait for ever at its second loop, but never ends. SPIN counts the same 49 states. */
never { do :: x < 2 :: x == 2 -> goto b od; b: do :: x >= 2 od }
