// What is assigned to `_` is computed and forgotten; a process may be started like this.
//! check --all-errors => holds states=16 transitions=21 errors=0
byte x = 2;
proctype q(byte n) { x = x + n }
active proctype p() { _ = x + 1; x--; _ = run q(3); _ = 10 / x; x--; _ = 10 / (x + 1) }
