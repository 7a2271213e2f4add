//! check --all-errors => holds finding=W0105
//! check => fails without=W0105
byte x;
ltl p { [] (x == 0) }
active proctype P() { x = 1 }
