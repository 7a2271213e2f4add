// What each type keeps of a number.
//! check --all-errors => holds states=13 transitions=12 errors=0
bit b; bool o; byte y; short s; int i; unsigned u : 3; bit many[2];
active proctype p() { b = 3; o = 2; y = 300; s = 40000; i = 70000; u = 12; many[1] = 3;
  assert(b == 1 && o == 0 && y == 44 && s == -25536 && i == 70000 && u == 4 && many[1] == 3);
  y = -1; s = -s; assert(y == 255 && s == 25536) }
