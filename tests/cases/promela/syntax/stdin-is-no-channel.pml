// SPIN's keyboard: to its verifier, too, an uninitialised channel. SPIN stops there.
//! check --all-errors => fails
chan STDIN;
active proctype p() { int c; STDIN?c; assert(c == 0) }
