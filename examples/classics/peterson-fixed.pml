/* Mutual exclusion without locks (Peterson's algorithm): the solution of peterson.pml. A process says that it wants to enter, and
 * only then gives the turn away: of two that want to enter, the one that gave the turn away first may go first.
 *
 * Exercise: `served` says that process 0 gets in whenever it waits, `returns` that it gets in again and again. `served` holds of every
 * run, `returns` does not. In the run that elnath shows, what is process 0 doing? Check `returns` again with --fair weak:
 * only runs count in which a process that can always move moves at last. Why does `served` not need that? */
//! check --safety-only => holds
//! check --claim served => holds
//! check --claim returns => fails
//! check --claim returns --fair weak => holds

bool wants[2];
byte turn;
byte inside;

ltl served { [] (Process[0]@waiting -> <> Process[0]@critical) }
ltl returns { [] <> Process[0]@critical }

active [2] proctype Process() {
    byte other = 1 - _pid;
    do
    :: wants[_pid] = true;
       turn = other;
waiting:
       (!wants[other] || turn == _pid);
       inside++;
critical:
       assert(inside == 1);
       inside--;
       wants[_pid] = false
    od
}
