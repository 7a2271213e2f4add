// `pc_value` is SPIN's number of the element at which a process is.
//! check --all-errors => holds states=13 transitions=13 errors=0
byte x;
active proctype p() {
  assert(pc_value(0) == 1);
  if :: x = 1 :: x = 2 fi;
  do :: x < 4 -> x++ :: else -> break od;
  atomic { x = 5; x = 6 };
  assert(pc_value(0) == 16)
}
