/* Dining philosophers: there is a fork between any two neighbours, and whoever eats needs both forks beside the plate.
 * Everybody takes the left fork first, and that can end in a deadlock.
 *
 * Exercise: the run shows a circle of processes, each waiting for the next. Break the circle by changing what one of them
 * does. Solution: philosophers-fixed.pml. And how does the number of states grow with the number of philosophers? Try -DN=5, 6, 7 with
 * --all-errors. */
//! check => fails

#ifndef N
#define N 4
#endif

bool taken[N];                      /* the forks */

active [N] proctype Philosopher() {
    byte left = _pid, right = (_pid + 1) % N;
    do
    :: atomic { !taken[left] -> taken[left] = true };
       atomic { !taken[right] -> taken[right] = true };
       skip;                        /* eats */
       taken[right] = false;
       taken[left] = false
    od
}
