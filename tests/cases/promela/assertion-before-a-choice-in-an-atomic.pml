// A fault before a choice in an atomic sequence is counted once for each way. (SPIN counts it once.)
//! check --all-errors => fails states=5 transitions=4 errors=2
byte x;
active proctype p() { atomic { x = 1; assert(x == 2); if :: x = 3 :: x = 4 fi } }
