// Every `init` is run.
//! check --all-errors => holds states=10 transitions=10 errors=0
byte x;
init { x = 1 }
init { x = 2 }
