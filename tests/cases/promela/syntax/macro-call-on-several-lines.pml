// A call of a macro on several lines is one line to SPIN; what follows it begins another.
//! check --all-errors => holds states=6 transitions=5 errors=0
#define set(v, e) v = e
byte x, y;
active proctype p() {
  set(x,
      1) y = 2
  set(y, x
      + 1)
  assert(y == 2)
}
