//! check --claim again => fails violation.kind=run property.automaton.strength=weak property.finite_runs=extend
//! check --claim again --search deterministic => fails violation.kind=run
//! check --claim again --search deterministic --store replacing => fails violation.kind=run
//! check --claim again --fair weak => holds property.fairness=weak
//! check --claim again --fair strong => holds
byte x;
active proctype counter() { do :: x = 1 - x od }
active proctype idler() { bit z; do :: z = 1 - z od }
/* The idler may go on for ever, unless runs are fair to the counter. */
ltl again { [] <> (x == 1) }
