//! check --safety-only => fails violation.kind=fault
// The second process has number 1 if the first has ended before it is created, else 2: a reduction that always
// creates first never sees the 1.

byte seen;

proctype a() { skip }

proctype b() {
	seen = _pid;
	assert(seen == 2)
}

init { run a(); run b() }
