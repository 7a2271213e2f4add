//! check --safety-only => holds finding=W0106 at=3:13
byte count;
ltl p { [] (cuont < 3) }
active proctype P() { count = 1 }
