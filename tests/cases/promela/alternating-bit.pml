// A protocol over channels that lose messages.
//! check --all-errors => holds states=41 transitions=43 errors=0
mtype = { data, ack };
chan there = [1] of { mtype, bit };
chan back = [1] of { mtype, bit };
byte sent, got;
active proctype sender() { bit b; bit r;
  do
  :: sent < 3 -> there!data,b;
     if :: back?ack,r -> if :: r == b -> b = 1 - b; sent++ :: else fi :: timeout fi
  :: sent == 3 -> break
  od }
active proctype receiver() { bit want; bit b;
  end1: do
  :: there?data,b -> if :: b == want -> got++; assert(got <= sent + 1); want = 1 - want :: else fi; back!ack,b
  :: there?data,_
  od }
