//! check --ltl X(x==0) --reductions por => finding=N0302
byte x;
active proctype P() { x = 1 }
active proctype Q() { x = 2 }
