//! check --automaton W0220-undescribed-state.hoa => holds finding=W0220
byte x;
active proctype P() { x = 1 }
