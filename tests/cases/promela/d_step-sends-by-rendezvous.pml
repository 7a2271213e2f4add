// A rendez-vous cannot be offered within a d_step, not even where an else would do instead.
//! check => fails violation.kind=fault
chan q = [0] of { byte };
byte y;
active proctype P() { d_step { y = 1; if :: q!1 :: else -> y = 2 fi } }
active proctype W() { end: q?_ }
