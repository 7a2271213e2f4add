// A label before a counted loop names the loop: who jumps there does not begin to count anew.
//! check --all-errors => holds states=18 transitions=20 errors=0
byte x, i;
active proctype p() { L: for (i : 0 .. 2) { x = 1; if :: goto L :: skip fi } }
