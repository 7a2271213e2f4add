// Of several deterministic sequences that begin with `else`, the first is taken.
//! check --all-errors => holds states=3 transitions=2 errors=0
byte x = 1;
active proctype p() {
  if :: d_step { x == 2; x = 7 } :: d_step { d_step { else; x = 2 } } :: d_step { else; assert(false) } :: else -> assert(false) fi
}
