//! check --ltl <>(x==1&&!(x==1)) => fails finding=W0104
//! check --ltl [](x==1) => fails without=W0104
byte x;
active proctype P() { x = 1 }
