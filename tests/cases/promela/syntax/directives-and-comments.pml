// Line ends taken back, comments on continued lines, a warning.
//! check --all-errors => holds states=4 transitions=3 errors=0
#warning it's only a test
#define max(a, b) \ 
   ((a) > (b) -> (a) : (b)) // a comment \
   that goes on
byte x;
active proctype p() { x = max(1, 2); assert(x == 2) }
