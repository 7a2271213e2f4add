// Nobody rests before the first statement of an option: no one is seen at its label. As in SPIN.
//! check => holds states=6 transitions=5
//! check --ltl [](!P@here) => holds
byte x;
active proctype P() { if :: here: x == 0 -> x = 1 fi; x = 2; (!P@here) }
