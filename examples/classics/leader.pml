/* Leader election in a ring (the algorithm of Chang and Roberts, with a mistake): every node has a number of its own, knows
 * only its right neighbour, and all must agree on one leader. Each sends its number around; the node whose number comes
 * back is the leader.
 *
 * Exercise: two nodes believe that they lead. Which messages should a node not pass on? Solution: leader-fixed.pml. What
 * happens if you remove the label `end`, and why is that no mistake of the protocol? */
//! check => fails

#define N 3
#define NUMBER(node) ((node * 2 + 1) % N + 1)       /* 2, 1, 3 */

chan ring[N] = [N] of { byte };
byte leaders;

active [N] proctype Node() {
    byte mine = NUMBER(_pid), number;
    ring[(_pid + 1) % N]!mine;
end:
    do
    :: ring[_pid]?number ->
       if
       :: number == mine -> leaders++; assert(leaders == 1)
       :: else -> ring[(_pid + 1) % N]!number
       fi
    od
}
