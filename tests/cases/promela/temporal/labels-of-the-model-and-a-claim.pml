//! check --claim never => fails
//! check --claim never -DELSEWHERE => holds
//! check --claim never --fair weak => fails
/* The claim follows the runs in which x stays below 2 and accepts none of them itself; the label in the model does. */
byte x;
active proctype p() {
	do
	:: x < 2 -> accept: x = 1 - x
	:: x = 2 -> break
	od;
#ifdef ELSEWHERE
	assert(true)
#endif
}
never {
#ifdef ELSEWHERE
	x == 0;
	do :: x == 2 od
#else
	do :: x < 2 od
#endif
}
