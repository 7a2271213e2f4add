// The end of a line separates statements, also before a parameter of an inline.
//! check --all-errors => holds states=5 transitions=4 errors=0
byte x, y;
inline f(v) {
  if :: x == 0
  fi
  v = 2
  v = v + 1
}
active proctype p() { f(y) }
