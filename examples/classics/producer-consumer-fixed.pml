/* A bounded buffer: the solution of producer-consumer.pml. A process first waits for a place or an item, and takes the lock only when
 * there is something to do: nobody waits while holding the lock.
 *
 * Exercise: is the lock needed at all, with one producer and one consumer? Remove it and check. And with two producers
 * (`active [2] proctype Producer`)? Say first what the assertion should then be. */
//! check => holds

#define PLACES 2

byte free = PLACES, filled = 0, lock = 1;
byte buffer[PLACES];

inline wait(semaphore) { atomic { semaphore > 0 -> semaphore-- } }
inline signal(semaphore) { semaphore++ }

active proctype Producer() {
    byte item = 0, place = 0;
    do
    :: wait(free);
       wait(lock);
       buffer[place] = item;
       signal(lock);
       signal(filled);
       place = (place + 1) % PLACES;
       item = (item + 1) % 4
    od
}

active proctype Consumer() {
    byte wanted = 0, place = 0;
    do
    :: wait(filled);
       wait(lock);
       assert(buffer[place] == wanted);
       signal(lock);
       signal(free);
       place = (place + 1) % PLACES;
       wanted = (wanted + 1) % 4
    od
}
