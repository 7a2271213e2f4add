//! check => holds finding=W0102 without=N0304
//! check --reductions none => holds finding=W0102
//! check --ltl [](x==1->(<>(x==0))) => fails without=W0102
//! check --ltl [](x==1->(<>(x>0))) => holds without=W0102
byte x;
ltl p { [] (x == 3 -> <> (x == 0)) }
active proctype P() { x = 1; do :: x < 3 -> x = 3 - x od }
