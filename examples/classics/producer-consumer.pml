/* A bounded buffer: the producer waits if it is full, the consumer if it is empty. Two counting semaphores count the free and the
 * filled places, a third one lets only one process at a time touch the buffer. One process waits for two of them in
 * the wrong order.
 *
 * Exercise: in the last state of the run both processes wait. Who holds what the other one needs? Mend it. Then remove
 * `wait(filled)` instead: which error do you get, and which value shows it? Solution: producer-consumer-fixed.pml. */
//! check => fails

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
    :: wait(lock);
       wait(filled);
       assert(buffer[place] == wanted);
       signal(lock);
       signal(free);
       place = (place + 1) % PLACES;
       wanted = (wanted + 1) % 4
    od
}
