// Names of messages are numbers, counted from the last.
//! check --all-errors => holds states=9 transitions=8 errors=0
mtype = { red, green, blue };
mtype colour = red;
byte n;
active proctype p() { do :: colour == red -> colour = green :: colour == green -> colour = blue :: colour == blue -> break od; n = colour; assert(n == 1 && red == 3) }
