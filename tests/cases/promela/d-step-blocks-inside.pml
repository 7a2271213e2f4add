// Blocking later in a deterministic sequence is an error.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
byte x;
active proctype p() { d_step { x = 1; x == 2; x = 3 } }
