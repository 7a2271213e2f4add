// A constant index out of range is an error only where it is evaluated.
//! check --all-errors => holds states=6 transitions=5 errors=0
byte a[3], x;
inline f(i) { if :: i > 0 -> a[i - 1] = 1 :: else fi }
active proctype p() { f(1); f(0); if :: x > 3 && a[7] == 1 -> a[3] = 1 :: else fi }
