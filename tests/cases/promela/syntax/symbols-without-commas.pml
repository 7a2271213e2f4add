// Symbolic constants need no commas.
//! check --all-errors => holds states=4 transitions=3 errors=0
mtype = { a b, c };
mtype m = b;
active proctype p() { assert(m == b && a == 3 && c == 1); m = c }
