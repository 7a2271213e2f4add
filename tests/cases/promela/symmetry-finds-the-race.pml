// Three processes add one to a counter, but not in one step; they end, and then init looks. The run that is shown is one of
// the model, in which each process goes its own way, though the search took them for each other.
//! check --reductions none => fails
//! check --reductions usual,symmetry --search bfs => fails
byte count;
proctype adder() { byte copy = 0; copy = count; count = copy + 1 }
init {
  atomic { run adder(); run adder(); run adder() };
  _nr_pr == 1;
  assert(count == 3) }
