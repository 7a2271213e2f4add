// !! keeps messages in order, ?? takes the first that matches.
//! check --all-errors => holds states=57 transitions=72 errors=0
chan q = [4] of { byte, byte };
byte x, y;
active proctype s() { q!!3,1; q!!1,2; q!!2,9; q!!1,1 }
active proctype r() { do :: q??eval(x),y -> x = 2 :: q?x,y :: len(q) == 4 -> break :: timeout -> break od }
