//! check => finding=E0001 at=3:29
byte x, y;
active proctype P() { x = 1 y = 2 }
