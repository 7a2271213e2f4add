// A priority given to `run`, or set later, decides who moves. (Where states differ in nothing but a priority, SPIN takes
// them for one: docs/spin-differences.md.)
//! check --all-errors => holds states=22 transitions=23 errors=0
byte x;
proctype p(byte n) { x = n; x = n + 1 }
init {
  atomic { run p(1) priority 3; run p(10) priority 2; run p(20) }
  x > 20 -> set_priority(_pid, 5);
  assert(get_priority(_pid) == 5);
  x = 40
}
