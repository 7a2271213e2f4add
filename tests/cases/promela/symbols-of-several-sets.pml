// Each named set of symbols counts for itself; the sets without a name count together.
//! check --all-errors => holds states=10 transitions=9 errors=0
mtype = { a, b }; mtype:fruit = { apple, pear, plum }; mtype = { c };
mtype m = a; mtype:fruit f; byte n;
active proctype p() { f = apple; n = f; assert(n == 3); n = c; assert(n == 3); f = pear; m = c; assert(m != a && f == pear && a == 2) }
