// SPIN's keyboard: to its verifier, too, an uninitialised channel.
//! check --all-errors => fails states=1
chan STDIN;
active proctype p() { int c; STDIN?c; assert(c == 0) }
