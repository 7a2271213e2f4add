//! check --claim again => fails violation.kind=fault violation.loop_start=null error_kinds.fault=1 property.model_faults=check
//! check --claim again --faults ignore => holds property.model_faults=ignore
//! check --claim again --fair weak => fails violation.kind=fault
//! check --claim settled => holds
//! check --claim settled --search deterministic => holds
//! check --claim never -DCLAIM => fails violation.kind=fault
//! check --non-progress => fails violation.kind=fault
//! check --accept-cycles => fails violation.kind=fault
//! check --accept-cycles --faults ignore => holds
/* An assertion that fails on a run that could still violate the property is an error, as in SPIN. Where the property has
   nothing more against the run, nobody looks: `settled` is true before the assertion. */
byte x;
active proctype p() {
	x = 1;
progress:
	do
	:: x = 3 - x; assert(x == 1); progress2: skip
	od
}
ltl again { [] <> (x == 1) }
ltl settled { <> (x == 2) }
#ifdef CLAIM
never { do :: x < 3 od }
#endif
