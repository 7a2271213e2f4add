// A quotient that nobody reads still has to be computed: the divisor becomes 0. Where the condition before the division is
// false it is not computed.
//! check => fails errors=1
//! check --reductions slice => fails errors=1 slice.variables=["q","r"]
byte n = 3, m = 2; int q, r;
active proctype P() { r = (m > 3 -> 1 / (m - 2) : 7); do :: q = (q + 100) / n; n-- od }
