//! check => holds finding=N0105
byte x;
active proctype P() { x = 1; printf("%d %d\n", x) }
