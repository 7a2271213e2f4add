// A process that has gone has priority 0.
//! check --all-errors => holds states=12 transitions=14 errors=0
byte x, y;
active proctype p() { x = 1; y = get_priority(1) }
active proctype q() { x = 1 }
