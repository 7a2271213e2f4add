// A hidden variable that is read in a later step is part of the state.
//! check => holds states=4 transitions=3
hidden byte v;
active proctype p() { v = 1; assert(v == 1) }
