//! check --claim both => fails
//! check --claim one => holds
//! check --ltl <>at(1) => holds
//! check --ltl <>at(3) => fails
//! check --ltl []small => holds
#define at(v) (x[v - 1] == v)
#define small (x[0] < 5 && x[1] < 5)
byte x[3];
active proctype p() { x[0] = 1; x[1] = 2 }
/* The same macro with other arguments is another proposition. */
ltl both { [] (at(1) -> at(2)) }
ltl one { [] (at(2) -> at(1)) }
