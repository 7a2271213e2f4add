// Nothing interrupts a d_step: an escape within it is left out, as in SPIN. A jump may still lead into it.
//! check => holds states=6 transitions=5
byte x, y;
active proctype p() {
	d_step { x++; { x = 1; x = 2 } unless { x == 1 -> x = 7 }; x++ }
	assert(x == 3);
	d_step { y++; { if :: y == 1 -> goto in :: else fi } unless { y = 9; in: y = 5 }; y++ }
	assert(y == 6)
}
