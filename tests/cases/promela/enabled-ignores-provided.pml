// enabled(n) asks for an executable statement, not whether process n may execute it now. Figures as SPIN's.
//! check --all-errors => fails states=8 transitions=7 errors=2
byte h;
active proctype P() provided (h == 0) { skip }
active proctype Q() { h = 1; assert(!enabled(0)) }
