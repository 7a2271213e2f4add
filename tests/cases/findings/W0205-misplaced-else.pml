//! check => holds finding=W0205
byte x;
active proctype P() { x == 0; else; x = 1 }
