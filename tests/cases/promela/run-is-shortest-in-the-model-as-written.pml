// Partial order reduction lets the busy process make its own steps first, and sees the assertion after 13 steps of this model.
// The run that is shown is one step long all the same: a short search finds it, or steps that are not needed are left out.
//! check --store exact --reductions usual => fails violation.length=1
//! check --store tree --reductions usual => fails violation.length=1
//! check --store exact --search bfs --reductions usual => fails violation.length=1
active proctype Checks() { assert(false) }
active proctype Busy() { byte n; do :: n < 5 -> n = n + 1 :: else -> break od }
