// `pc_value` of another process, and of one that does not exist.
//! check --all-errors => holds states=135 transitions=245 errors=0
byte x, y;
active proctype p() {
  if :: x = 1 :: x = 2 fi;
  do :: x < 4 -> x++ :: else -> break od;
  atomic { x = 5; x = 6 };
  d_step { x = 7; x = 8 };
  x = 9
}
active proctype q() { y = pc_value(0); y = pc_value(0); y = pc_value(1); y = pc_value(7) }
