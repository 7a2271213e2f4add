// An array may be given its elements one by one, as a global or at the start of a process.
//! check --all-errors => holds states=13 transitions=18 errors=0
byte g[3] = { 4, 5, 6 };
short n = -2;
active [2] proctype p() {
  byte l[3] = { 1, 2, 3 };
  int m[2] = { 7, 300 };
  g[_pid] = g[_pid] + l[_pid + 1];
  assert(g[2] == 6 && m[0] == 7 && m[1] >> 2 == 75 && n >> 1 == -1)
}
