//! check --claim not_seven --faults ignore => fails
/* The fault ends the sequence before y is written to, so that its old value is read. */
byte g;
active proctype A() { byte x, y, z; y = 7; d_step { x = 1; x = 1 / z; y = 2 }; g = y }
ltl not_seven { [] (g != 7) }
