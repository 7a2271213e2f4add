// What is printed is computed, so it can fail.
//! check --all-errors => fails states=6 transitions=5 errors=1
byte x, a[2];
active proctype p() { printf("%d\n", a[x]); x = 2; printf("%d\n", a[x]); x = 3 }
