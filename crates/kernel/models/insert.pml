/* The insert protocol of the shared exact store (src/store/shared_exact), as the workers play it.
 *
 * WORKERS workers each put in the states 1 and 2, in their own order: worker 0 begins with 1, the others with 2. Both
 * states have the same home slot, as in a collision. A slot holds 0 (free) or 1 + the position of a record; a record is
 * two halves of bytes, so that one can be seen half written. Each worker has its own two places in the arena.
 *
 * Checked: a state is told new exactly once; none is lost; whoever reads a slot finds the record complete.
 * -DPUBLISH_FIRST breaks it (the slot is taken before the record is written), and -DNO_SWAP too (the slot is written
 * without looking whether it is still free): both must fail. */

#ifndef WORKERS
#define WORKERS 2
#endif
#define SLOTS 2

byte slot[SLOTS];            /* the table */
byte low[WORKERS * 2];       /* the arena: the halves of each record */
byte high[WORKERS * 2];
byte told[3];                /* how often each state was told new */
byte done;

proctype worker(byte me) {
  byte state, at, word, step, probe, next;
  bool written;
  do
  :: step < 2 ->
     state = (me == 0 -> 1 + step : 2 - step);
     probe = 0; written = false;
     do
     :: word = slot[probe];                         /* acquire */
        if
        :: word == 0 ->
           at = me * 2 + next;
#ifdef PUBLISH_FIRST
           atomic { word = slot[probe]; if :: word == 0 -> slot[probe] = 1 + at :: else fi }
           low[at] = state; high[at] = state;
#else
           if
           :: !written -> low[at] = state; high[at] = state; written = true
           :: else
           fi;
#ifdef NO_SWAP
           slot[probe] = 1 + at;
#else
           atomic { word = slot[probe]; if :: word == 0 -> slot[probe] = 1 + at :: else fi }  /* release */
#endif
#endif
           if
           :: word == 0 -> told[state]++; next++; break
           :: else
           fi
        :: else
        fi;
        /* Another state's word, or this state's: the record behind it is complete. */
        assert(low[word - 1] != 0 && low[word - 1] == high[word - 1]);
        if
        :: low[word - 1] == state -> break          /* known */
        :: else -> probe++; assert(probe < SLOTS)
        fi
     od;
     step++
  :: else -> break
  od;
  atomic { done++; at = 0; word = 0; state = 0 }
}

init {
  atomic { byte i; do :: i < WORKERS -> run worker(i); i++ :: else -> break od }
  done == WORKERS;
  assert(told[1] == 1 && told[2] == 1);
  assert(slot[0] != 0 && slot[1] != 0 && low[slot[0] - 1] != low[slot[1] - 1])
}
