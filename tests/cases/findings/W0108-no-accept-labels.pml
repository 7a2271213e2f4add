//! check --accept-cycles => holds finding=W0108
byte x;
active proctype P() { do :: x = 1 - x od }
