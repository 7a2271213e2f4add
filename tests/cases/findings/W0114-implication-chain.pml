//! check => finding=W0114 at=3:29
byte x;
ltl p { [] (x == 0 -> x < 1 -> x < 2) }
active proctype P() { x = 1 }
