/* Peterson's mutual exclusion for N processes: N - 1 waiting rooms, in each of which the last to come waits. */

#ifndef N
#define N 4
#endif

byte room[N];
byte last[N];
byte inside = 0;

active [N] proctype Process() {
    byte level, other;
    do
    :: level = 1;
       do
       :: level < N ->
          room[_pid] = level;
          last[level] = _pid;
          other = 0;
          do
          :: other < N ->
             (other == _pid || room[other] < level || last[level] != _pid);
             other++
          :: else -> break
          od;
          level++
       :: else -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
       room[_pid] = 0
    od
}
