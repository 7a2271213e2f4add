// timeout is true when nothing else can move.
//! check --all-errors => holds states=13 transitions=13 errors=0
byte x;
active proctype p() { do :: x < 2 -> x++ :: timeout -> break od }
active proctype q() { if :: timeout -> x = 7 :: x == 9 fi }
