// A sender in an atomic sequence passes control to a receiver in one.
//! check --all-errors => holds states=15 transitions=20 errors=0
chan r = [0] of { byte };
byte x;
active proctype sender() { atomic { x = 1; r!5; x = 2; x = 3 } }
active proctype receiver() { byte got; atomic { r?got; x = x + got; x = x + 1 } }
active proctype other() { byte seen; seen = x }
