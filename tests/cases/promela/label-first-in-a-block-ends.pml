// So does one that says where a process may end.
//! check => holds states=2 transitions=1
byte x;
active proctype P() { x = 1; { end1: x == 9; skip } }
