//! check => fails violation.kind=fault
// How many processes there are is asked by one of them: it can be 3 only between the ends of the other two.

proctype w() { assert(_nr_pr != 3) }

proctype a() { skip }

init { run w(); run a(); run a(); }
