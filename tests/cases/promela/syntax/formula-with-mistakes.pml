// A formula that cannot be read does not keep the model from being checked.
//! check --all-errors => holds states=3 transitions=2 errors=0
byte x;
active proctype p() { x = 1 }
ltl f { <> x == 1 }
ltl g { [] (x == 1 -> ) }
