//! check --automaton E0020-malformed-automaton.hoa => finding=E0020
byte x;
active proctype P() { x = 1 }
