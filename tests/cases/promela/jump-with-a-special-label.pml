// A jump with a progress label is a step of its own, other jumps are not.
//! check --all-errors => holds states=25 transitions=34 errors=0
byte x;
active proctype p() { x = 1; progress1: goto middle; x = 2; middle: x = 3; plain: goto done; x = 4; done: skip }
active proctype q() { x = 5 }
