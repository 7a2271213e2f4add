// run is a number: that of the new process.
//! check --all-errors => holds states=19 transitions=26 errors=0
byte a, b, n;
proctype p(byte v) { n = n + v; end: n > 5 }
init { a = run p(1); b = run p(a); assert(a == 1 && b == 2); n = _nr_pr }
