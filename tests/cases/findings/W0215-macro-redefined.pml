//! check => holds finding=W0215
#define N 3
#define N 4
active proctype P() { assert(N == 4) }
