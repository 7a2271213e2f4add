/* N counters, each from 0 to LIMIT - 1, independently: LIMIT to the power of N states, known without a tool, and runs of
 * at most N * (LIMIT - 1) steps. What it measures is the memory per state and little else.
 * N=8 LIMIT=10 has 10^8 states. */

#ifndef N
#define N 6
#endif
#ifndef LIMIT
#define LIMIT 10
#endif

active [N] proctype Counter() {
    byte count = 0;
    end: do
    :: atomic { count < LIMIT - 1 -> count++ }
    od
}
