//! check --ctl AG(EF(x==4)) => finding=W0232
byte x;
active proctype P() { x = 3; assert(x < 3); x = 4 }
