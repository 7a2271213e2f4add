// Sending to a channel variable that holds none is an error.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
chan c, d = [1] of { byte };
byte x;
active proctype p() { d!1; if :: x = 1 :: x = 2; c!1 fi }
