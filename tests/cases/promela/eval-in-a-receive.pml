// eval compares with the value of a variable, before anything is received.
//! check --all-errors => fails states=12 transitions=14 errors=1
chan q = [2] of { byte, byte }; byte x = 1, y;
active proctype p() { q!0,5; q!1,6 }
active proctype r() { do :: q?eval(x),y -> x = 0 :: q??eval(x - 1),y -> break :: q?_,eval(y + 5) od }
