// Within a d_step one variable may take two fields of a message, and has the last of them.
//! check => holds states=7 transitions=6
chan q = [2] of { byte, byte };
byte x;
active proctype P() { q!1,2; q!2,1; d_step { skip; q?x,x; assert(x == 2) }; d_step { q?x,x; assert(x == 1) } x = 0 }
