// One send, two receivers: one transition for each.
//! check --all-errors => holds states=14 transitions=14 errors=0
chan r = [0] of { byte };
byte x;
active proctype s() { r!3; x = x + 1 }
active [2] proctype d() { byte l; end1: r?l; x = l + _pid }
