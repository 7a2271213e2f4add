// The same with a rendez-vous: without a sender, the d_step waits.
//! check --all-errors => holds states=7 transitions=7
chan q = [0] of { byte };
byte x, y;
active proctype P() { d_step { if :: q?x :: y = 1 fi; y = 2 }; assert(x == 1) }
active proctype W() { y == 0; q!1 }
