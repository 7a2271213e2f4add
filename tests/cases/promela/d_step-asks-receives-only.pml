// A d_step that begins with a loop asks the options that begin with a receive, not the one that begins with a jump.
//! check --all-errors => fails states=8 transitions=7 errors=1
chan q = [1] of { byte, byte };
byte x, y;
active proctype P() { d_step { do :: q?1,x :: break od; y = 1 } }
active proctype W() { if :: q!1,3; y == 1 :: q!2,7 fi }
