//! check --claim never --faults ignore => fails
/* While z is 0 neither x / z == 1 nor its negation is true, and the claim counts for how many steps that is so. */
byte x, z = 1;
active proctype A() { z = 0; z = 1; do :: 0 od }
active proctype B() { byte k; do :: k < 3 -> k++ :: else -> break od; do :: 0 od }
never {
	do :: x / z == 1 :: !(x / z == 1) :: else -> break od;
	if :: x / z == 1 -> goto dead :: !(x / z == 1) -> goto dead :: else -> skip fi;
	if :: x / z == 1 -> goto fin :: !(x / z == 1) -> goto fin :: else -> goto dead fi;
dead:	(0);
fin:	skip
}
