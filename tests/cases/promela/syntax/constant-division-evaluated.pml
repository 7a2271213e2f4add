// A division by a constant zero is a run-time error where it is evaluated; pan dies of it.
//! check --all-errors => fails
byte x;
active proctype p() { if :: x == 1 || x / 0 == 4 -> skip :: else fi }
