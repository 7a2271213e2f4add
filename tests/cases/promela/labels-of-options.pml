// A label on the first statement of an option names where that leads.
//! check --all-errors => fails states=9 transitions=10 errors=2
byte x;
active proctype p() { do :: end1: x == 1 -> x = 2 od }
active proctype q() { if :: x = 1 :: skip fi }
