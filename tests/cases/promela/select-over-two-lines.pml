// A `select` with a line break between its parentheses is a loop.
//! check --all-errors => holds states=14 transitions=16 errors=0
byte x;
active proctype p() { select (x : 1 ..
 4); x = 0 }
