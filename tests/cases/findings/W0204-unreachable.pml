//! check => holds finding=W0204
byte x;
active proctype P() { do :: x = 1 - x od; assert(x == 0) }
