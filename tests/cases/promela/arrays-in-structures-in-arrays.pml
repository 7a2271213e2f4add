// Arrays of structures with arrays of structures.
//! check --all-errors => holds states=25 transitions=24 errors=0
typedef cell { byte v[2] }; typedef row { cell c[2] }; row m[2];
active proctype p() { byte i, j; for (i : 0 .. 1) { for (j : 0 .. 1) { m[i].c[j].v[1 - j] = i + j } } assert(m[1].c[1].v[0] == 2 && m[1].c[0].v[1] == 1 && m[0].c[1].v[1] == 0) }
