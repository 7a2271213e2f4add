// A failed assertion is counted, and the run goes on after it.
//! check --all-errors => fails states=13 transitions=12 errors=2
byte x;
active proctype p() { do :: x < 3 -> x++; assert(x != 2) :: else -> break od; assert(x == 4) }
