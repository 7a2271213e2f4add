// A process goes only after those created later; its number is used again.
//! check --all-errors => holds states=28 transitions=38 errors=0
byte n;
proctype child(byte k) { n = n + k }
init { pid a; a = run child(1); assert(a == 1); run child(2); (n == 3); (_nr_pr == 1); a = run child(4); assert(a == 1) }
