//! check --all-errors => holds errors=0
/* Only sends are named, so receives are not watched; the trace may end where it has an end label. */
mtype = { a, b }
chan q = [2] of { mtype };
active proctype p() { q!a; q!b; q!a; q!b }
active proctype r() { end: do :: q?_ od }
trace { end0: do :: q!a; q!b od }
