// What is printed is computed, by whatever operator, and changes nothing.
//! check --all-errors => holds states=12 transitions=11 errors=0
chan q = [1] of { byte };
mtype = { red, green };
mtype m = red;
byte a[2], i = 1;
active proctype p() {
  printm(m); printm(green); printf("%e %e %d\n", m, red, a[i]);
  printf("%d %d %d\n", -i, a[i] + 1, i % 3);
  if :: printf("%d\n", len(q)); skip; skip; m = green :: m == red -> printm(m); skip; printf("%d", (i -> 2 : 3)) fi
}
