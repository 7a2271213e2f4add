// Of several skips in a row within an option only the first is a step, unless it is the last of all or has a label.
//! check --all-errors => holds states=13 transitions=13 errors=0
byte x;
active proctype p() { do :: skip; skip; true; x = 1; skip; skip :: x == 1 -> skip; skip; L: skip; skip; break od; skip; skip }
