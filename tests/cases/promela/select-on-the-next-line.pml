// A line break before the parentheses of a `select` does not make it a loop.
//! check --all-errors => holds states=7 transitions=9 errors=0
byte x;
active proctype p() { select
 (x : 1 .. 4); x = 0 }
