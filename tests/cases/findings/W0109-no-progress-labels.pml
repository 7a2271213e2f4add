//! check --non-progress => fails finding=W0109
byte x;
active proctype P() { do :: x = 1 - x od }
