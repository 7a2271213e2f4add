// Priorities count as soon as somebody sets one, wherever the statement stands.
//! check --all-errors => fails states=16 transitions=15 errors=1
byte x;
active proctype p() { x = 1; x = 2 }
active proctype q() { do :: x == 1 -> d_step { set_priority(_pid, 3); x = 5 }; break od; x = 7; x = 8 }
