// A jump out of an atomic sequence is a step, at the beginning of an escape too.
//! check --all-errors => holds states=17 transitions=21
byte x, y;
active proctype P() { atomic { { y = 1; y = 2 } unless { goto out; y = 3 }; y = 1 }; out: x = 3 }
active proctype O() { x = 2; y = 7 }
