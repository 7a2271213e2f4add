//! check --ltl ([](x==1))||(<>(!(x==1))) => holds finding=W0103
//! check --ltl []((x==1)||!(x==1)) => holds finding=W0103
//! check --ltl <>(x==1) => holds without=W0103
byte x;
active proctype P() { x = 1 }
