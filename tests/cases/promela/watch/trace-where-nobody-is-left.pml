//! check --all-errors => holds states=4 transitions=3
/* The trace is at no end label when the last process ends: nothing is owed then. */
chan q = [1] of { byte };
byte x;
active proctype p() { q!1; q?x }
trace { do :: q!1; q?1 od }
