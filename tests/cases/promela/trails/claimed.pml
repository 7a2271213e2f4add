//! check --safety-only => fails violation.kind=fault
/* A claim and a formula in the text: their statements have numbers, and the claim is a process. */
byte x;

ltl growing { [] (x < 9) }

never {
	do
	:: x < 9
	:: x > 8 -> break
	od
}

active proctype first() {
	do
	:: x < 3 -> x++
	:: x > 1 -> break
	od
}

active proctype second() {
end:	x == 2;
	byte seen = x;
	x = x + seen;
	assert(x != 4)
}
