// A message with too few fields is an error even if nobody receives it. (SPIN: 2 transitions, for it does not count the
// attempt as one.)
//! check --all-errors => fails states=3 transitions=3 errors=1
chan q = [0] of { byte, byte };
active proctype p() { if :: q!1 :: skip fi }
