// A process may give itself and others another priority, and ask for it.
//! check --all-errors => holds states=11 transitions=10 errors=0
byte x;
active proctype p() priority 2 { x = get_priority(_pid); set_priority(1, 5); x = 9; x = _priority }
active proctype q() priority 1 { x = x + 1; x = get_priority(0) + 10; _priority = 1; x = 0 }
