//! check => fails violation.kind=fault
// The first process hands out its channel and ends. If the second is created then, its channel has the same number.

chan k = [1] of { chan };

proctype a() {
	chan own = [1] of { byte };
	k!own
}

proctype b() {
	chan mine = [1] of { byte };
	byte x;
end:	mine?x;
	assert(false)
}

init {
	chan z;
	run a();
	run b();
	k?z;
	z!7
}
