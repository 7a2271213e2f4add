//! check => unknown reason=sequence
/* Nineteen choices of one of six: more outcomes than are followed. Nothing is violated, but not everything was seen. */
byte a, b, c, d, e, f;

active proctype P() {
	byte turns;
	atomic {
		do
		:: turns < 19 -> turns++; if :: a++ :: b++ :: c++ :: d++ :: e++ :: f++ fi
		:: turns == 19 -> break
		od
	}
}
