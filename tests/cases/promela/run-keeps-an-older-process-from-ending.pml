//! check => holds
// The second process lives for ever. Whether the first has ended before it was created is not seen by anybody, and its
// end counts as executed in both orders.

byte g;

proctype a() { g = 1 }

proctype b() {
	do
	:: g = 1 - g
	od
}

init { run a(); run b() }
