// A run for ever in which a variable that nobody reads has another value in every lap.
//! check --non-progress => fails
//! check --ltl <>(x==2) => fails
//! check --ltl <>(x==2) --fair weak => fails
//! check --reductions slice --store exact --non-progress => fails slice.variables=["n"]
//! check --reductions usual --store exact --ltl <>(x==2) => fails slice.variables=["n"]
//! check --reductions usual --store exact --ltl <>(x==2) --fair weak => fails slice.variables=["n"]
unsigned n : 3; byte x;
active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> n++; x = 0 :: x == 0 -> n = n - 3 od }
