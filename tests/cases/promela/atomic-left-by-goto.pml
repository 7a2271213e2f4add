// A jump out of an atomic sequence ends it.
//! check --all-errors => holds states=23 transitions=38 errors=0
byte x;
active proctype p() { again: x = 0; atomic { x = 1; if :: x = 2; goto again :: x = 3; goto done fi; x = 4 }; done: x = 5 }
active proctype q() { byte a; a = x }
