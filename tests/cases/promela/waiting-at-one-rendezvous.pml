//! check --reductions usual --search bfs => holds states=21
// Ten processes come to wait at one rendez-vous channel, which they were given when they were created. Nobody else uses
// it, so one order of their steps is enough: 2n + 1 states, where all orders are about 2^n with merged statements.

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
	run m(c); run m(c); run m(c); run m(c); run m(c);
	run m(c); run m(c); run m(c); run m(c); run m(c);
}
