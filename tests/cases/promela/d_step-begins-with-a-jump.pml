// A d_step that begins with a jump can be executed, whatever the jump leads to; then it is blocked, which is an error.
//! check => fails violation.kind=fault
chan q = [1] of { byte };
byte x, y;
active proctype P() { d_step { goto there; y = 1; there: q?x } }
active proctype W() { q!1 }
