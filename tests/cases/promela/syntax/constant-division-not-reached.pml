// A division by a constant zero is an error only where it is evaluated.
//! check --all-errors => holds states=4 transitions=3 errors=0
byte b;
active proctype p() { if :: b > 3 && b / 0 == 4 -> b = 1 % 0 :: else fi; b = (b == 0 -> 1 : 1 / 0) }
