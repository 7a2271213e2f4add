//! check --reductions sleep --store exact --search dfs => fails violation.kind=fault
//! check --reductions sleep --store replacing --search dfs => fails violation.kind=fault
//! check => fails violation.kind=fault
/* Behind Q's step R goes first, and P must wait: the two steps do not commute, though neither touches what the other does. */
byte a, g;
active proctype R() priority 5 { g == 1; g = 2; assert(a == 0) }
active proctype P() priority 1 { a = 1 }
active proctype Q() priority 1 { g = 1 }
