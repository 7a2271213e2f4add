//! check --reductions symmetry => finding=E0018
byte x;
active [3] proctype P() { _pid == 0 -> x = 1 }
