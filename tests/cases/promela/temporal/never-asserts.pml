//! check --claim never => fails
//! check --claim never -DFINE => holds
#ifdef FINE
#define LIMIT 3
#else
#define LIMIT 2
#endif
byte x;
active proctype p() { do :: x < LIMIT -> x++ :: x > 0 -> x-- od }
never { do :: assert(x < 3 || LIMIT == 3) :: x == 2 -> assert(LIMIT == 3) od }
