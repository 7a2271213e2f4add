//! check => holds
//! check --reductions usual --search bfs => holds states=7
// As waiting-at-one-rendezvous, small enough to be explored in full too.

proctype m(chan c) {
	byte k;
	do
	:: true ->
		if
		:: k > 0 -> k--
		:: else ->
end:			c?false;
			k = 1
		fi
	od
}

init {
	chan c = [0] of { bool };
	run m(c); run m(c); run m(c)
}
