// A byte order mark at the beginning of a file means nothing.
//! check --all-errors => holds states=3 transitions=2 errors=0
byte x;
active proctype p() { x = 1 }
