//! check --claim reached => holds property.automaton.strength=weak
//! check --claim again => fails violation.loop_start=3 violation.length=4
//! check --claim again --finite-runs ignore => holds property.finite_runs=ignore
//! check --claim stays => holds
//! check --claim bad => fails property.automaton.strength=terminal
byte x;
active proctype p() { x = 1; x = 2 }
/* The run ends with x == 2, which then lasts for ever; or, if such runs do not count, there is none. */
ltl reached { <> (x == 2) }
ltl again { [] <> (x == 1) }
ltl stays { <> [] (x == 2) }
ltl bad { [] (x != 1) }
