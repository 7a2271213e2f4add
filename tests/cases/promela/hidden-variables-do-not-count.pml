// Two states that differ only in hidden variables are one.
//! check --all-errors => fails states=14 transitions=16 errors=1
hidden byte h; byte x;
active proctype p() { if :: h = 1 :: h = 2 :: h = 3 fi; x = 1; x = 2 }
active proctype q() { x == 1; x = 7 }
