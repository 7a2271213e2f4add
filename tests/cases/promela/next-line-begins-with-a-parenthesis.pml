// A line that begins with `(` is not the argument list of the send before it.
//! check --all-errors => holds states=7 transitions=6 errors=0
chan q = [1] of { byte };
byte x;
proctype p(chan c) {
  c!1
  (x == 0) -> x = 1
}
init { run p(q) }
