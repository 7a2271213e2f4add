// An inline is replaced by its text; select in it is always a loop.
//! check --all-errors => holds states=26 transitions=25 errors=0
byte x, a[2];
inline choose(v, w) { select (v : 0 .. 1); w = v + 1 }
active proctype p() { choose(x, a[x]); choose(x, a[1 - x]) }
