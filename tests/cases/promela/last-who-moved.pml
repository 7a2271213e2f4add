// _last is who moved last; being read, it is part of the state.
//! check --all-errors => holds states=24 transitions=42 errors=0
byte x;
active proctype p() { do :: _last == 1 -> x = 1 - x :: x > 1 -> break od }
active proctype q() { do :: x < 2 -> skip; skip od }
