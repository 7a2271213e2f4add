// A hidden variable that is written from its own old value and then read in the same step keeps its value.
//! check => holds
hidden byte n = 2;
active proctype p() { d_step { n--; n--; assert(n == 0) }; d_step { n++; assert(n == 1) } }
