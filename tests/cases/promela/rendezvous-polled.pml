// Polling a rendez-vous channel is an error.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
chan r = [0] of { byte };
active proctype p() { if :: r?[1] -> skip :: skip fi }
