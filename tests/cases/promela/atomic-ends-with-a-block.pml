// The last statement of an atomic sequence is looked for in the blocks it ends with.
//! check --all-errors => holds states=80 transitions=126 errors=0
chan q = [1] of { byte };
byte x, y;
inline two(a) { x = a; y = a }
active proctype p() {
  atomic { x = 1; { y = 1; x = 2 } }
  atomic { x = 3; atomic { y = 2; { x = 4 } } }
  atomic { x = 5; d_step { y = 3; x = 6 } }
  atomic { x = 7; { y = 4; d_step { x = 8; y = 5 } } }
  atomic { two(1); two(2) }
  atomic { two(3); xr q }
}
active proctype r() { x = 9; y = 9; assert(x != 7 || y != 4) }
