//! check => finding=W0206
byte x;
active proctype P() { select (x : 3 .. 1) }
