/* Leader election in a ring (Chang and Roberts), the solution of leader.pml: a node passes on only numbers that are larger than
 * its own, so that only the largest comes all the way round.
 *
 * Exercise: `elected` needs no fairness assumption, although the nodes run in any order. Why? (How many steps can the
 * protocol take at all?) Let a node lose a message (a third option, `:: skip`) and check again: which of the two demands
 * fails, and which still holds? */
//! check => holds
//! check --claim elected => holds

#define N 3
#define NUMBER(node) ((node * 2 + 1) % N + 1)

chan ring[N] = [N] of { byte };
byte leaders;

ltl elected { <> (leaders == 1) }

active [N] proctype Node() {
    byte mine = NUMBER(_pid), number;
    ring[(_pid + 1) % N]!mine;
end:
    do
    :: ring[_pid]?number ->
       if
       :: number == mine -> leaders++; assert(leaders == 1)
       :: number > mine -> ring[(_pid + 1) % N]!number
       :: else
       fi
    od
}
