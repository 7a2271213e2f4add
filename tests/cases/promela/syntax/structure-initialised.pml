// SPIN reads the initial value of a structure and ignores it; those of the fields count.
//! check --all-errors => holds states=3 transitions=2 errors=0
typedef T { byte b = 7; byte c };
T a[3] = 255;
T d = 3;
active proctype p() { T e[2] = 255; assert(a[1].b == 7 && a[0].c == 0 && d.b == 7 && e[1].b == 7) }
