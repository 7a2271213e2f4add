// Arrays of channels, full and empty.
//! check --all-errors => fails states=13 transitions=13 errors=3
chan c[2] = [1] of { byte };
byte x;
active [2] proctype p() { c[_pid]!_pid; nfull(c[1 - _pid]); c[1 - _pid]?x; assert(empty(c[1 - _pid])) }
