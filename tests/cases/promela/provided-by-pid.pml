// The condition of each process may ask who it is.
//! check --all-errors => holds states=7 transitions=6 errors=0
byte turn;
active [2] proctype p() provided (turn == _pid) { turn = 1 - _pid; turn = 1 - _pid; turn = 1 - _pid }
