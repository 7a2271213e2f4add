//! check => fails violation.kind=fault
/* Processes come and go, and their numbers are used again. */
byte done;

proctype worker(byte n; chan reply) {
	byte twice = n + n;
	reply!twice
}

init {
	chan c = [2] of { byte };
	byte got;
	pid child;
	child = run worker(1, c);
	c?got;
	(_nr_pr == 1);
	child = run worker(got, c);
	run worker(got + 1, c);
	c?got;
	done = got;
	c?got;
	assert(done < got)
}
