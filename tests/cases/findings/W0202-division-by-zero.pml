//! check => fails finding=W0202
byte x;
active proctype P() { x = 1 / 0 }
