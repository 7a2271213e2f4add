// An index beyond the end of an array is an error.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
byte a[3], i;
active proctype p() { do :: i < 3 -> i++ :: break od; a[i] = 1 }
