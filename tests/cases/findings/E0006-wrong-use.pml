//! check => finding=E0006
byte x;
active proctype P() { x ! 1 }
