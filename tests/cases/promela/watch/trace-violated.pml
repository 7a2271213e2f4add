//! check --all-errors => fails states=12 transitions=14 errors=3 error_kinds.fault=2 error_kinds.deadlock=1
/* The fourth send is not the one that the trace allows, and the run ends while it waits. As SPIN counts. */
mtype = { a, b }
chan q = [2] of { mtype, byte };
active proctype p() { q!a(1); q!b(2); q!a(3); q!a(4) }
active proctype r() { byte x; end: do :: q?_,x od }
trace { do :: q!a,_ ; q!b,2 od }
