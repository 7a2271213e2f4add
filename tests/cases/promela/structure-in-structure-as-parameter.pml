// A structure within a structure that is passed brings its values and channels along, too.
//! check --all-errors => holds states=9 transitions=9 errors=0
typedef N { chan L = [1] of { byte }; byte b = 7 }
typedef M { N n; byte c = 3 }
proctype p(M m; byte z) { assert(m.n.b == 8 && m.c == 3 && z == 5); m.n.L!1 }
init { M m; m.n.b = 8; run p(m, 5); m.n.L?1 }
