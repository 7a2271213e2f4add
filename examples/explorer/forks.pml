/* Four philosophers and the forks between them, each with its place: on the table, or in the hand of its left or right neighbour. All reach for the left
 * fork first, so that in the end each may hold one; but neighbours never eat at the same time. Beside this file is a picture of its state: elnath explore shows it. */

#define N 4
#define TABLE 0
#define LEFT 1                      /* with the philosopher of the same number, whose left fork it is */
#define RIGHT 2                     /* with the philosopher before it */

byte fork[N];
bool eats[N];

active [N] proctype Philosopher() {
    byte left = _pid, right = (_pid + 1) % N;
    do
    :: atomic { fork[left] == TABLE -> fork[left] = LEFT };
       atomic { fork[right] == TABLE -> fork[right] = RIGHT };
       eats[_pid] = true;
       eats[_pid] = false;
       fork[right] = TABLE;
       fork[left] = TABLE
    od
}

ltl neighbours { [] !(eats[0] && eats[1]) }
