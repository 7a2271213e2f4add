/* A sliding window: up to WINDOW messages under way, numbered modulo WINDOW + 1, over channels that lose. The receiver
 * takes them in order and acknowledges the next number it wants; the sender goes back when nothing comes. */

#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef CAPACITY
#define CAPACITY 3
#endif
#define MODULUS (WINDOW + 1)
#define VALUES  7

chan data = [CAPACITY] of { byte, byte };
chan acks = [CAPACITY] of { byte };

active proctype Sender() {
    byte base = 0, under_way = 0, value = 0, wanted;
    do
    :: under_way < WINDOW ->
       if
       :: data!((base + under_way) % MODULUS), ((value + under_way) % VALUES)
       :: skip /* lost */
       fi;
       under_way++
    :: acks?wanted ->
       do
       :: base != wanted && under_way > 0 ->
          base = (base + 1) % MODULUS; value = (value + 1) % VALUES; under_way--
       :: else -> break
       od
    :: timeout -> under_way = 0
    od
}

active proctype Receiver() {
    byte number, value, next = 0, expected = 0;
    end: do
    :: data?number, value ->
       if
       :: number == next ->
          assert(value == expected);
          next = (next + 1) % MODULUS;
          expected = (expected + 1) % VALUES
       :: else
       fi;
       if
       :: acks!next
       :: skip /* lost */
       fi
    od
}
