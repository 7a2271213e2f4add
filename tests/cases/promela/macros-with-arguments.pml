// Macros take arguments, also as parts of names.
//! check --all-errors => fails states=18 transitions=23 errors=1
#define max(a, b) ((a) > (b) -> (a) : (b))
#define var(n) v##n
#define bump(n) var(n) = max(var(n) + 1, n)
byte v1, v2;
active proctype p() { bump(1); bump(2); bump(2); assert(v1 == 1 && v2 == 3) }
active proctype q() { v1 == max(v2, 1); v2 = v2 + 0 }
