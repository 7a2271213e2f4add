// A process rests at an unless with a label, so that the jump its main part begins with is a step.
//! check --all-errors => holds states=18 transitions=23
byte x, y;
active proctype P() { here: { goto there; y = 1; there: x = 1; y = 2 } unless { x == 2 -> y = 3 } }
active proctype O() { x = 2 }
