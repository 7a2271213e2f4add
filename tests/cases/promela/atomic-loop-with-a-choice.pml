// A loop with a choice in an atomic sequence has endlessly many ways, through few states: SPIN does not come to an end.
//! check --all-errors => holds states=3 transitions=4 errors=0
byte x, y;
active proctype p() { atomic { do :: x = 1 :: x = 0 :: y = 1 - y :: x + y == 2 -> break od } }
