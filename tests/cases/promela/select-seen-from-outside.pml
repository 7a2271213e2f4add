// The steps of a `select` that is a loop can be seen by others.
//! check --all-errors => fails states=3739 transitions=7272 errors=1650
byte x;
active proctype p() { select (x : 1 .. 34) }
active proctype q() { byte y; atomic { x > 0 -> y = x }; assert(x == y) }
