//! check => holds finding=N0102
int steps;
active proctype P() { steps = 1 }
