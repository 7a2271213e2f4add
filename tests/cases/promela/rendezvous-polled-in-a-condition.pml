// Polling a rendez-vous channel is an error, after which the condition is not true. (SPIN: no transition, and the invalid
// end state is a second error.)
//! check --all-errors => fails states=1 transitions=1 errors=1
chan q = [0] of { byte };
byte x;
active proctype p() { q?[1]; x = 1 }
