//! check => fails finding=W0207
chan q = [1] of { byte, byte };
active proctype P() { byte x; q ! 1, 2; q ? x }
