//! check --ltl []<>(x==1) --search bfs => finding=E0017
byte x;
active proctype P() { do :: x = 1 - x od }
