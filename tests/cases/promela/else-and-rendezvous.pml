// A receive from a rendez-vous channel never keeps else from being taken; a send does.
//! check --all-errors => holds states=23 transitions=25 errors=0
chan r = [0] of { byte };
byte x;
active proctype p() { byte l; if :: r?l -> x = l :: else -> x = 3 fi }
active proctype q() { if :: r!1 -> x = 5 :: else -> x = 7 fi }
