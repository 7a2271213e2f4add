// A label before a `select` that is a loop only because of its many values names the first assignment.
//! check --all-errors => holds states=339 transitions=371 errors=0
byte x, y;
active proctype p() { L: select (x : 1 .. 34); if :: y == 0 -> y = 1; goto L :: else fi }
