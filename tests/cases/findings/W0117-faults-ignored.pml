//! check --ltl []<>(x<9) --faults ignore => holds finding=W0117
//! check --ltl [](x<9) => fails without=W0117
byte x;
active proctype P() { x = 1; assert(x == 0) }
