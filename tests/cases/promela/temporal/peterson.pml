//! check --claim exclusion => holds property.automaton.strength=terminal
//! check --claim progress0 => holds
//! check --claim progress0 --fair weak => holds
//! check --ltl [](wants[0]-><>p[0]@critical) --fair weak => holds
/* The other one cannot overtake for ever, so not even fairness is needed. */
bool wants[2];
byte turn;
active [2] proctype p() {
	do
	:: wants[_pid] = true;
	   turn = 1 - _pid;
	   (!wants[1 - _pid] || turn == _pid);
critical:	   wants[_pid] = false
	od
}
ltl exclusion { [] !(p[0]@critical && p[1]@critical) }
ltl progress0 { [] (wants[0] -> <> p[0]@critical) }
