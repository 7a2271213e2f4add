//! check --claim never => fails
byte x;
active proctype p() { do :: x = 1; x = 2 :: x = 3 od }
/* From some point on x is never 2. */
never { do :: true :: x != 2 -> goto accept od; accept: do :: x != 2 od }
