//! check => fails finding=W0115
byte x;
ltl p { [] x == 1 }
active proctype P() { x = 1 }
