// A channel with one field of a bit keeps whole bytes, with two fields it does not.
//! check --all-errors => holds states=8 transitions=7 errors=0
chan one = [1] of { bit };
chan two = [1] of { bit, bit };
byte x, y;
active proctype p() { one!3; one?x; assert(x == 3); two!3,2; two?x,y; assert(x == 1 && y == 0) }
