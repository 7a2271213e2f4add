// The same where a d_step within an atomic sequence reads what the sequence wrote.
//! check => holds states=7 transitions=8
hidden byte v, w;
byte x;
active proctype p() { d_step { v = x; w = v + 1; x = w; v = 0 } }
active proctype q() { atomic { v = x; d_step { x = v + 2 } } }
