// pc_value(n) is where process n is: equal for two of a kind at the same place.
//! check --all-errors => fails states=118 transitions=206 errors=5
byte x;
active [2] proctype p() { x++; x++ }
active proctype w() { pc_value(0) == pc_value(1); x = 9; pc_value(0) != pc_value(1); x = 8 }
