// Nobody reads t, and x is read only to compute itself: neither can decide anything.
//! check --reductions none --store exact => holds states=131072
//! check --reductions slice => holds states=2 slice.variables=["t","x"]
//! check --reductions usual => holds slice.variables=["t","x"]
short t; byte x;
active proctype P() { do :: t++; x = 1 - x od }
