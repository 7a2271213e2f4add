/* N philosophers take the left fork, then the right one, eat, and put them down. All with a left fork: deadlock. */

#ifndef N
#define N 10
#endif

bool taken[N];

#define LEFT  (_pid)
#define RIGHT ((_pid + 1) % N)

active [N] proctype Philosopher() {
    do
    :: atomic { !taken[LEFT] -> taken[LEFT] = true };
       atomic { !taken[RIGHT] -> taken[RIGHT] = true };
       taken[RIGHT] = false;
       taken[LEFT] = false
    od
}
