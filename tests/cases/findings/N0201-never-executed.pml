//! check => holds finding=N0201 at=9:6
//! check --reductions none => holds finding=N0201
//! check --states 2 => unknown without=N0201
//! check --store bitstate --memory 8MiB => holds without=N0201
byte x;
active proctype P() {
  x = 1;
  if
  :: x > 3 -> x = 7
  :: else
  fi
}
