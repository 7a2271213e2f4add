//! check => holds finding=W0209
byte a[2] = { 1, 2, 3 };
active proctype P() { assert(a[1] == 2) }
