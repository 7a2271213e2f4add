//! check => finding=E0023
int x = 1 / 0;
active proctype P() { x = 1 }
