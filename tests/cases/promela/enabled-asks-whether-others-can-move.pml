// enabled(n) is true while process n has something to do.
//! check --all-errors => fails states=21 transitions=27 errors=1
byte x;
active proctype p() { do :: enabled(1) -> x = 1 :: !enabled(1) -> break od; x = 3 }
active proctype q() { x = 2; x == 1; x = 4; x == 3 }
