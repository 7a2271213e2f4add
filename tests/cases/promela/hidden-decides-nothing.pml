// A hidden counter that is only counted and printed is not part of the state.
//! check => holds states=6 transitions=6
hidden int n;
byte x;
active proctype p() { do :: n++; x = 1 - x; printf("%d\n", n) od }
