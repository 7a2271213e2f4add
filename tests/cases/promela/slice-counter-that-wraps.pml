// Storing cuts a value off, which is no error.
//! check --reductions none => holds states=8
//! check --reductions slice => holds states=1 slice.variables=["n"]
unsigned n : 3;
active proctype P() { do :: n++ od }
