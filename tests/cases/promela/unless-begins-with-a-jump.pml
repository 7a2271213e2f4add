// A jump that begins the main sequence is passed through: nobody can escape from it.
//! check --all-errors => holds states=15 transitions=18 errors=0
byte x;
active proctype p() { x = 1; { goto out; x = 2 } unless { x == 9; x = 3 }; x = 4; out: x = 5 }
active proctype q() { x = 9 }
