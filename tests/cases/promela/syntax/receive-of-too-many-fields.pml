// A receive may have more fields than the channel: an error only where a message is taken.
//! check --all-errors => holds states=4 transitions=3 errors=0
chan q = [1] of { byte };
active proctype p() { if :: q?_,_ :: empty(q) -> skip fi }
