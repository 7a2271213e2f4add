//! check => fails violation.kind=fault
/* The assertion is one of several local statements in a row, which SPIN merges into one line of the trail. */
byte g;

active proctype quiet() {
	byte a, b;
	g = 1;
	a = 1;
	b = a + 1;
	assert(b == 1);
	a = 4;
	g = 2
}
