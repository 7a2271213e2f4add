// Two processes never meet in the critical section.
//! check --all-errors => holds states=38 transitions=64 errors=0
bool want[2]; bit turn; byte inside;
active [2] proctype p() {
  do
  :: want[_pid] = true; turn = _pid;
     (!want[1 - _pid] || turn == 1 - _pid);
     inside++; assert(inside == 1); inside--;
     want[_pid] = false
  od }
