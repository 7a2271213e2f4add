// Nobody sees x between the steps of an atomic sequence.
//! check --all-errors => holds states=11 transitions=13 errors=0
byte x;
active proctype writer() { atomic { x = 1; x = 2; x = 3 } }
active proctype reader() { byte seen = 9; seen = x; assert(seen == 0 || seen == 3) }
