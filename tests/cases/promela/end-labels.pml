// A process may rest for ever at an end label, and only there.
//! check --all-errors => fails states=15 transitions=18 errors=1
byte x;
active proctype server() { end: do :: x == 1 -> x = 0 :: x == 2 -> x = 3; x == 0 od }
active proctype client() { if :: x = 1 :: x = 2 :: x = 4 fi }
