/* N counters that count to K on their own: K to the power of N states, N transitions from each, N * (K - 1) levels.
 * A state space of any size, whose size is known without search: elnath check -DN=6 -DK=26 has 308,915,776 states.
 */
#ifndef N
#define N 4
#endif
#ifndef K
#define K 10
#endif

active [N] proctype Counter()
{
	byte value;

	do
	:: value = (value + 1) % K
	od
}
