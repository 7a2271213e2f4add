// A line that begins with `(` is not the argument list of the send or receive before it.
//! check --all-errors => holds states=7 transitions=6 errors=0
chan q = [1] of { byte };
byte x;
active proctype p() {
  q!1
  (x == 0);
  q?x
  (x == 1) -> x = 2
}
