// A deterministic sequence that begins with `else` is executable where an `else` would be.
//! check --all-errors => holds states=3 transitions=2 errors=0
byte x = 1;
active proctype p() {
  if :: d_step { x == 1 -> x = 2 } :: d_step { else -> assert(false) } fi
}
