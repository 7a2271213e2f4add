// Everybody takes the left fork first.
//! check --all-errors => fails states=115 transitions=215 errors=1
#define N 3
chan fork[N] = [1] of { bit };
active [N] proctype phil() {
  fork[_pid]!1; fork[(_pid + 1) % N]!1; fork[(_pid + 1) % N]?_; fork[_pid]?_ }
