//! check --ctl AG(EF(10/x>2)) => finding=W0233
byte x;
active proctype P() { x = 1; x = 0 }
