//! check --all-errors => fails errors=1 error_kinds.deadlock=1
/* A process is left, at an end label, and the trace is in the middle. */
chan q = [1] of { byte };
byte x;
active proctype p() { q!1; end: x == 1 }
trace { q!1; q?1 }
