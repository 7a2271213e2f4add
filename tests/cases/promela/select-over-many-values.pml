// A `select` over more than 33 values is a loop, whatever the bounds are.
//! check --all-errors => holds states=104 transitions=136 errors=0
byte x;
active proctype p() { select (x : 1 .. 34); x = 0 }
