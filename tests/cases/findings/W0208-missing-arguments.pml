//! check => holds finding=W0208
proctype P(byte i; byte n) { assert(i == 1 && n == 0) }
init { run P(1) }
