// SPIN's lexer supplies a `;` at the end of a line after `}`, `)`, `]`, `fi`, `od`, `else`, `break`, a name, a number, `++` and `--`.
//! check --all-errors => holds states=26 transitions=25 errors=0
chan q = [1] of { byte }
byte x, a[2]
typedef T { byte b
  byte c }
T t
inline f() { x++ }
active proctype p()
{
  byte y
  do
  :: x < 1
     x++
  :: else
     break
  od
  if
  :: y == 0
  fi
  atomic { y = 1 }
  q!y
  q?y
  a[1] = a[0]
  t.b = t.c
  x == 1
  !q?[1]
  x--
  f()
  goto L
L:
  assert(x == 1)
  for (y : 1 .. 2)
  { x++ }
  y = x /* a comment over
  two lines */ x = 7
}
