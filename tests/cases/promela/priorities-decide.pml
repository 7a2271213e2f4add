// Of those who can move, only the ones with the highest priority do.
//! check --all-errors => holds states=10 transitions=9 errors=0
byte x, y;
active proctype low() priority 1 { x = 1; x = 2; y = x }
active proctype high() priority 5 { y = 1; x == 1; y = 3; assert(x == 1) }
