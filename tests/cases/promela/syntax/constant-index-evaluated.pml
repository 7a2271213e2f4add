// A constant index out of range is a run-time error where it is evaluated.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
byte a[3];
active proctype p() { if :: true -> skip :: a[-1] = 2 fi; skip }
