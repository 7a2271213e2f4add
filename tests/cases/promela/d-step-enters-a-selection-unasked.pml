// Within a deterministic sequence, an option that begins with a selection is taken without asking: this one blocks.
// After this SPIN stops: only the verdict can be compared.
//! check --all-errors => fails
byte x;
active proctype p() { d_step { if :: if :: x == 1; x = 1 fi :: x == 0 -> x = 2 fi } }
