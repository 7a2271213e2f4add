//! check --claim settles => fails
/* Local statements are merged and dead variables forgotten, but the run that is told is one of this text: each statement
   is a step, and none of them changes anything but what it says. */
byte g, t;
active proctype P() { byte x, y; do :: x = 3; y = x; t = y; y = 2; x = y + 1; g = 1 - g od }
active proctype Q() { byte z; do :: z = g; z = z + 1 od }
ltl settles { <> [] (g == 0) }
