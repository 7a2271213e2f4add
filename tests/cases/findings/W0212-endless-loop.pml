//! check => finding=W0212
active proctype P() { byte i; for (i : 0 .. 255) { skip } }
