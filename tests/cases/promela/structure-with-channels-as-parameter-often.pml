// A hundred processes with a structure of three channels each have three channels together.
//! check --all-errors => holds states=102 transitions=101 errors=0
typedef M { chan L = [0] of { bool }; chan K = [0] of { bool }; chan J = [0] of { bool } }
proctype f(M m) { end: false }
init { M m; byte i; do :: atomic { i < 100 -> run f(m); i++ } :: else -> break od }
