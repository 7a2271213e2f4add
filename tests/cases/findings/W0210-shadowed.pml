//! check => holds finding=W0210
byte x;
active proctype P() { byte x; x = 1; assert(x == 1) }
