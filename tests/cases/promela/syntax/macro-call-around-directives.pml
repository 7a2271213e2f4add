// Directives may stand between the arguments of a macro.
//! check --all-errors => holds states=5 transitions=4 errors=0
#define both(a, b) a; b
byte x;
active proctype p() {
  both(x = 1,
#ifdef UNKNOWN
       x = 2
#else
       x = 3
#endif
  )
  assert(x == 3)
}
