//! check --claim never => holds states=21 transitions=26
byte x;
active proctype p() { do :: x < 3 -> progress: x++ :: x == 3 -> x = 0 od }
active proctype q() { x = 1; x = 2 }
/* np_ is true where no process is at a progress label. (In SPIN only with -DNP; else it is always true.) */
never { do :: np_ && x < 2 :: !np_ :: np_ && x == 2 -> goto b od; b: do :: np_ od }
