// A jump into the middle of an atomic sequence starts there.
//! check --all-errors => holds states=27 transitions=44 errors=0
byte x;
active proctype p() { if :: goto inside :: skip fi; atomic { x = 1; x = 2; inside: x = 3; x = 4 }; x = 5 }
active proctype q() { byte a; a = x; assert(a != 3) }
