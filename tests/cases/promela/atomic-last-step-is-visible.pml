// A selection at the end of an atomic sequence costs a step to leave it.
//! check --all-errors => holds states=27 transitions=43 errors=0
byte x;
active proctype p() { atomic { x = 1; if :: x == 1 -> x = 2 :: x = 3 fi }; x = 9 }
active proctype q() { byte a; a = x; a = x }
