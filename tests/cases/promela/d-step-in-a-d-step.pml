// Sequences within a deterministic sequence are blocks, to any depth, and none of their statements is lost.
//! check --all-errors => holds states=6 transitions=5 errors=0
byte w = 1, x, y, i;
inline add(a) { d_step { x = x + a; x = x * 2 } }
active proctype p() {
  byte o;
  d_step { d_step { o = w; w = w - 1 }; printf("%d\n", o) }
  assert(o == 1 && w == 0);
  d_step {
    add(1);
    atomic { add(2); { y = 1; d_step { x = x + 1; atomic { x = x + 1 } } } };
    if :: x == 10 -> d_step { x = 2; x = x + 1 } :: else -> x = 9 fi;
    do :: x < 5 -> d_step { x++; y++ } :: else -> break od;
    for (i : 1 .. 3) { d_step { x = x + i } }
  }
  assert(x == 11 && y == 3)
}
