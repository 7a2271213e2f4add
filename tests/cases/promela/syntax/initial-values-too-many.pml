// Initial values beyond the end of an array are ignored.
//! check --all-errors => holds states=4 transitions=3 errors=0
byte a[3] = { 1, 2, 3, 4 };
active proctype p() { assert(a[0] == 1 && a[2] == 3); a[1] = 5 }
