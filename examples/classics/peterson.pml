/* Mutual exclusion without locks: two processes share a critical section, and have only variables to agree on who enters it.
 * This is Peterson's algorithm with a mistake.
 *
 * Exercise: elnath finds a run in which both are inside. Read it: which two statements come in the wrong order? Exchange
 * them and check again. Solution: peterson-fixed.pml. */
//! check => fails

bool wants[2];                      /* process i would like to enter */
byte turn;                          /* who goes first if both would */
byte inside;                        /* how many are in the critical section */

active [2] proctype Process() {
    byte other = 1 - _pid;
    do
    :: turn = other;                /* after you */
       wants[_pid] = true;
       (!wants[other] || turn == _pid);     /* waits until this is true */
       inside++;
       assert(inside == 1);
       inside--;
       wants[_pid] = false
    od
}
