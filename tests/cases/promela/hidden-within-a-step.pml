// Hidden variables that are written before they are read in one step are not part of the state.
//! check => holds states=7 transitions=8
hidden byte v, w;
byte x;
active proctype p() { d_step { v = x; w = v + 1; x = w; v = 0 } }
active proctype q() { atomic { v = x; x = v + 2 } }
