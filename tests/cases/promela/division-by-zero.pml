// Division by zero is an error.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
byte x = 2, y;
active proctype p() { do :: x > 0 -> x-- :: y = 6 / x; break od }
