//! check => fails violation.kind=deadlock
/* Sorted sends, receives from the middle, a copy, and a structure as message. */
typedef Pair { byte a; byte b };
chan q = [4] of { byte, byte };
chan p = [2] of { Pair };

active proctype sender() {
	Pair out;
	q!!3,1;
	q!!1,2;
	q!!2,3;
	out.a = 4;
	p!out
}

active proctype receiver() {
	byte x, y;
	Pair msg;
	q??2,y;
	q?<x,y>;
	q?x,eval(y);
	for (msg in p) {
		x = x + msg.a
	}
	q?x,99
}
