// Polling a rendez-vous channel does not keep `else` from being executed.
//! check --all-errors => fails states=4 transitions=4 errors=1
chan q = [0] of { byte };
byte x;
active proctype p() { if :: q?[1] -> x = 1 :: else -> x = 2 fi }
