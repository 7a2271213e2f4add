//! check --non-progress => holds
byte x;
/* A run that ends has no cycle. */
active proctype p() { x = 1; x = 2 }
