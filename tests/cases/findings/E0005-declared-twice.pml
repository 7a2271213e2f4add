//! check => finding=E0005 at=3:5
byte x;
int x;
active proctype P() { x = 1 }
