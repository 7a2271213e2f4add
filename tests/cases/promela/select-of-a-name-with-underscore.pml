// A `select` whose variable has a `_` in its name is a loop; a label before it names the loop.
//! check --all-errors => holds states=35 transitions=37 errors=0
byte x_, y;
active proctype p() { L: select (x_ : 1 .. 4); if :: y == 0 -> y = 1; goto L :: else fi }
