//! check --all-errors => fails states=12 transitions=16 errors=2 error_kinds.fault=2
/* What must not happen does, in two ways. As SPIN counts. */
mtype = { a, b }
chan q = [2] of { mtype };
active proctype p() { do :: q!a; q!b od }
active proctype r() { do :: q?_ od }
notrace { q!a; q!b; q!a }
