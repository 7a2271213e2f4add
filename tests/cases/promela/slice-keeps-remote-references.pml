// A counter of one process that another one reads.
//! check => fails errors=1
//! check --reductions slice => fails errors=1 slice.variables=["P:ghost"]
active proctype P() { byte n, ghost; do :: n < 4 -> n++; ghost = ghost + n od }
active proctype Q() { assert(P:n < 4) }
