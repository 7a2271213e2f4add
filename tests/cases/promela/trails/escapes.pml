//! check => fails violation.kind=fault
/* unless over blocks, single statements, atomic sequences, and within another. */
byte x, y;

active proctype p() {
	x = 1 unless y == 5;
	{ x = 2; x = 3 } unless { y == 1 -> x = 4 };
	{ { x = 5; x = 6 } unless atomic { y == 2 -> x = 7; x = 8 } } unless { y == 3; x = 9 };
	if :: x = 10 :: x = 11 fi unless d_step { y == 4; x = 12 };
	assert(x != 12)
}

active proctype q() {
	do
	:: y < 6 -> y++
	:: else -> break
	od
}
