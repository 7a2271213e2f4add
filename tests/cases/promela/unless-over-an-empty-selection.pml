// A selection without an option that could ever be executed can be escaped from.
//! check --all-errors => holds states=6 transitions=6
byte x;
active proctype P() { { do :: false -> x = 5 od } unless x == 1 }
active proctype Q() { x = 1 }
