//! check --claim never_one --faults ignore => fails
//! check --claim never_one -DPROVIDED --faults ignore => fails
/* After the fault the process goes on without the test, so its loop does not count to an end, and A must not stand for B
   for ever. */
byte g, z;
#ifdef PROVIDED
active proctype A() provided (1 / z == 1) { byte i; do :: i < 5 -> i++ od }
#else
active proctype A() { byte i, y; do :: (1 / y > 0 && i < 5) -> i++ od }
#endif
active proctype B() { g = 1 }
ltl never_one { [] (g == 0) }
