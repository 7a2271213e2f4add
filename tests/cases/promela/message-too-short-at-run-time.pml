// A message with fewer fields than its channel is an error, after which the rest is 0.
//! check --all-errors => fails states=9 transitions=10 errors=1
chan two = [1] of { byte, byte };
byte x, y = 7;
proctype s(chan c) { c!5 }
init { run s(two); two?x,y; assert(x == 5 && y == 0) }
