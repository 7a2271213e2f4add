//! check => fails violation.kind=deadlock
/* Steps of many statements, one with a loop, one in an atomic sequence; then everybody waits for a 7. */
byte x, y;

active proctype p() {
	d_step {
		do
		:: x < 5 -> x++
		:: else -> break
		od;
		if
		:: y == 0 -> y = 2
		:: else -> y = 3
		fi
	}
	atomic {
		x = x + 1;
		d_step { y = y + x; x = 0 };
		y--
	}
	x == 9
}

active proctype q() {
	y > 2;
	y = 1;
	y == 7
}
