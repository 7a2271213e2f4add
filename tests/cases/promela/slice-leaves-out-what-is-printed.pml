// Printing decides nothing. The run that is shown prints what it would have printed.
//! check --reductions none => fails
//! check --reductions slice => fails slice.variables=["n"]
byte n; byte x;
active proctype P() { if :: n = 1 :: n = 2 fi; printf("n is %d\n", n); x = 1; assert(x == 0) }
