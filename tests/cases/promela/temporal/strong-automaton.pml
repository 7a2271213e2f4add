//! check --claim compassion => fails property.automaton.strength=strong
//! check --claim kept => fails property.automaton.strength=strong
//! check --claim kept --fair weak => holds
//! check --claim several => fails property.automaton.strength=strong
bool ask, answer;
byte turn;
active proctype client() { do :: ask = true; ask = false od }
active proctype server() { bit z; do :: ask -> answer = true; answer = false :: z = 1 - z od }
active proctype wheel() { do :: turn = (turn + 1) % 3 od }
ltl compassion { ([] <> ask) -> ([] <> answer) }
ltl kept { ([] <> (turn == 1)) -> ([] <> (turn == 2)) }
ltl several { ! (([] <> ask) && ([] <> answer) && ([] <> (turn == 1))) }
