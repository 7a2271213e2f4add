// A d_step that begins with a send at a rendez-vous channel can always be executed, and that is an error. SPIN stops there,
// even with -c0: 1 state, 1 error.
//! check => fails
//! check --all-errors --end-states ignore => fails errors=1
chan q = [0] of { bit };
byte x;
active proctype p() { if :: d_step { q!1; x = 1 } :: x = 2 fi }
active proctype r() { end: q?1 }
