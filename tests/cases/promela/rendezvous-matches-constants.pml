// Only a receiver whose constants match can meet the sender.
//! check --all-errors => holds states=9 transitions=8 errors=0
mtype = { go, stop };
chan r = [0] of { mtype, byte };
byte x = 2;
active proctype s() { if :: r!go,1 :: r!stop,2 :: r!stop,3 fi }
active proctype d() { end1: if :: r?go,_ -> x = 10 :: r?stop,eval(x) -> x = 20 fi }
