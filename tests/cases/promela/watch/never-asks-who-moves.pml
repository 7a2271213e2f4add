//! check --claim never => holds states=53
byte x;
active proctype p() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
active proctype q() { x == 1; x = 2; x == 0 }
/* What _last and enabled say in a claim. SPIN counts the same states. */
never { do :: true :: _last == 1 && x == 2 -> goto next od; next: do :: enabled(0) && !enabled(1) od }
