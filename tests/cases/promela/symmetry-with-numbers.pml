// Each process says that it is its turn, with its number, and keeps its place in an array: numbers that only say whose
// something is go with the processes.
//! check --reductions none => holds states=68
//! check --reductions symmetry => holds states=19
#define NOBODY 255
byte turn = NOBODY, inside;
bool wants[3];
active [3] proctype user() {
  do
  :: wants[_pid] = true;
     atomic { turn == NOBODY -> turn = _pid };
     inside++;
     assert(inside == 1 && turn == _pid);
     inside--;
     wants[_pid] = false;
     turn = NOBODY
  od }
