//! check --ltl [](x-> => finding=E0012
byte x;
active proctype P() { x = 1 }
