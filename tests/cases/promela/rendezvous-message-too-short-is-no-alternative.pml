// An attempt to send too few fields to nobody does not keep `else` from being executed.
//! check --all-errors => fails states=3 transitions=3 errors=1
chan q = [0] of { byte, byte };
active proctype p() { if :: q!1 :: else fi }
