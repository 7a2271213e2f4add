//! check => fails violation.kind=deadlock
/* Three philosophers, each with a fork as a channel handed over by rendez-vous. */
mtype = { fork };
chan table[3] = [0] of { mtype };

proctype keeper(byte i) {
end:	do
	:: table[i]!fork; table[i]?fork
	od
}

proctype philosopher(byte i) {
	byte next = (i + 1) % 3;
	printf("philosopher %d sits down\n", i);
	do
	:: table[i]?fork;
	   table[next]?fork;
	   table[next]!fork;
	   table[i]!fork
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. 2) {
			run keeper(i);
			run philosopher(i)
		}
	}
}
