//! check --safety-only => fails violation.kind=fault
/* Labels on jumps, jumps out of atomic sequences, timeout and else. */
byte x;

active proctype p() {
again:	do
	:: x == 0 -> atomic { x = 1; if :: x == 1 -> goto out :: else -> break fi; x = 2 }
	:: x == 3 -> progress_here: goto last
	:: x == 4 -> break
	od;
out:	x++;
	if
	:: x == 2 -> x = 3; goto again
	:: else -> skip
	fi;
last:	timeout -> x = 5;
	if
	:: false -> x = 6
	:: x == 7 -> x = 8
	:: else -> assert(x == 7)
	fi
}

active proctype q() {
	x == 1;
	x == 3
end_q:
}
