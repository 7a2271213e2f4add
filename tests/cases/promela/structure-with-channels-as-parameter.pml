// A structure that is passed brings its channels along: none are created for the parameter.
//! check --all-errors => holds states=5 transitions=4 errors=0
typedef M { chan L = [0] of { bool } }
init { M m; run b(m) }
proctype b(M m) { chan e = [1] of { int }; e!0 }
