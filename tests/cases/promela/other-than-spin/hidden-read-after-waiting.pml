// An atomic sequence waits between writing and reading a hidden variable, and another process writes it meanwhile. (SPIN,
// for which states that differ in v are one, finds no error.)
//! check --all-errors => fails states=17 transitions=20 errors=2
hidden byte v;
byte x;
active proctype p() { atomic { v = 3; x == 1; assert(v == 3) } }
active proctype r() { v = 4; x = 1 }
