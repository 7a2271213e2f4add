//! check --search bfs => holds finding=W0303
byte x;
ltl p { []<>(x == 1) }
active proctype P() { do :: x = 1 - x od }
