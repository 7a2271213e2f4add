// A process moves only while its condition is true, to its very end.
//! check --all-errors => fails states=9 transitions=8 errors=2
byte x;
active proctype q() { x = 1 }
active proctype p() provided (x == 0) { skip; skip }
