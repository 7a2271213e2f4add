/* Chang and Roberts: in a ring of N stations each sends its number on; a number passes only stations with a smaller
 * one, so only the largest comes home. */

#ifndef N
#define N 6
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

chan ring[N] = [CAPACITY] of { byte };
byte leaders = 0;

proctype Station(byte place; byte number) {
    byte heard;
    ring[(place + 1) % N]!number;
    end: do
    :: ring[place]?heard ->
       if
       :: heard > number -> ring[(place + 1) % N]!heard
       :: heard == number -> leaders++; assert(leaders == 1)
       :: else
       fi
    od
}

init {
    byte place = 0;
    atomic {
        do
        :: place < N -> run Station(place, N - place); place++
        :: else -> break
        od
    }
}
