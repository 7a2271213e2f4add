// Between two numbers select is a choice, else a loop that goes up.
//! check --all-errors => holds states=31 transitions=30 errors=0
byte i, j;
active proctype p() { select (i : 1 .. 3); select (j : i .. 3); assert(j >= i) }
