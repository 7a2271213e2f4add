//! check => holds
//! check --reductions por --search bfs => holds states=124
// Processes that end, created one after the other, and what they do is seen by the others: where nobody asks for numbers
// of processes, it does not matter who has ended when the next one is created.

byte g;

proctype a() { byte x; x = g; g = x + 1 }

init { run a(); run a(); run a(); }
