// A receive with more fields than its rendez-vous channel has meets a sender, and that is an error, as in SPIN ("missing
// pars in receive").
//! check => fails
//! check --all-errors --end-states ignore => fails errors=1
chan q = [0] of { byte };
byte x, y;
active proctype p() { if :: q?x,y :: skip fi }
active proctype o() { end: q!1 }
