//! check => fails violation.kind=deadlock
/* Each sends more than there is room for before it receives again: both are stuck. */
mtype = { ping, pong };
chan to_b = [1] of { mtype, byte };
chan to_a = [1] of { mtype, byte };

active proctype a() {
	byte n;
	to_b!ping,1;
	to_a?pong,n;
	to_b!ping,n + 1;
	to_b!ping,n + 2;
	to_b!ping,n + 3;
	to_a?pong,n
}

active proctype b() {
	byte n;
	to_b?ping,n;
	to_a!pong,n;
	to_a!pong,n + 10;
	to_a!pong,n + 20;
	to_b?ping,n
}
