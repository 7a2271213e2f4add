/* Dining philosophers, of whom the last takes the right fork first: the forks are then always taken in ascending order,
 * and a circle of processes that wait for each other would have to descend somewhere. (The solution of philosophers.pml.)
 *
 * Exercise: no deadlock does not mean that everybody eats. `fed` says that philosopher 0, once hungry, eats at last. It
 * fails, even with --fair weak: the neighbour takes the fork whenever philosopher 0 looks away, so that philosopher 0 is
 * able to move again and again, but not without interruption. Which assumption helps? */
//! check --safety-only => holds
//! check --claim fed --fair weak => fails
//! check --claim fed --fair strong => holds

#ifndef N
#define N 3
#endif

bool taken[N];

ltl fed { [] (Philosopher[0]@hungry -> <> Philosopher[0]@eats) }

active [N] proctype Philosopher() {
    byte first = _pid, second = (_pid + 1) % N;
    if
    :: _pid == N - 1 -> first = 0; second = N - 1
    :: else
    fi;
    do
    :: skip;                        /* thinks */
hungry:
       atomic { !taken[first] -> taken[first] = true };
       atomic { !taken[second] -> taken[second] = true };
eats:
       skip;
       taken[second] = false;
       taken[first] = false
    od
}
