//! check --accept-cycles => fails property.kind=acceptance
//! check --accept-cycles --fair weak => fails
//! check --accept-cycles -DONCE => holds
byte x;
active proctype p() {
#ifdef ONCE
accept:	x = 1;
	do :: x = 1 - x od
#else
	do :: x = 1; accept: x = 0 od
#endif
}
