//! check --all-errors => holds errors=0
/* The first event that does not fit ends the watch, as in SPIN. */
mtype = { a, b }
chan q = [2] of { mtype };
active proctype p() { q!a; q!a; q!b }
active proctype r() { end: do :: q?_ od }
notrace { q!a; q!b }
