// Loops over numbers, over an array and choices between bounds.
//! check --all-errors => holds states=48 transitions=47 errors=0
byte a[3], i, n = 2, s;
active proctype p() { for (i : 0 .. n) { a[i] = i + 1 } for (i in a) { s = s + a[i] } assert(s == 6 && i == 3); select (i : 0 .. 2); select (n : 1 .. i + 1) }
