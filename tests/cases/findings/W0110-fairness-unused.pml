//! check --ltl []<>(x==1) --fair weak => holds finding=W0110
byte x;
active proctype P() { do :: x = 1 - x od }
