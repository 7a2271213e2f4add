// A label on the first statement of a block names the place before the block: it accepts and can be asked for. (SPIN
// refuses it.)
//! check --safety-only => holds
//! check --accept-cycles => fails
//! check --ltl [](!P@here) => fails
byte x;
active proctype P() { do :: x = 3; { accept: x = 1; x = 0 }; atomic { here: x = 2; x = 4 } od }
