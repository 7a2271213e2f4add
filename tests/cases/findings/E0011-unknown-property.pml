//! check --claim respones => finding=E0011
//! check --only respones => finding=E0011
byte x;
ltl response { [] (x < 3) }
active proctype P() { x = 1 }
