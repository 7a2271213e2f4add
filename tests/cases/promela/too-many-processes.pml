// The 256th process is an error.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
proctype p() { end1: false }
init { do :: run p() od }
