//! check => finding=W0213
byte x;
active proctype P() { d_step { { x = 1 } unless { x == 1 } } }
