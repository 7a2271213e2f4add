// Unsigned fields of structures keep so many bits.
//! check --all-errors => holds states=356 transitions=484 errors=0
typedef t { unsigned a : 2; unsigned b : 5; bool c }; t v;
active proctype p() { v.a = 5; v.b = 33; v.c = 3; assert(v.a == 1 && v.b == 1 && v.c == 1); do :: v.a++; :: v.b > 3 -> break :: v.b++ od }
