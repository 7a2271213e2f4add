//! check --accept-cycles => fails violation.kind=run
//! check --accept-cycles --finite-runs ignore => holds
//! check --accept-cycles --fair weak => fails
//! check --accept-cycles -DELSEWHERE => holds
/* A run that ends at an acceptance label stays there for ever. That it ends where it must not is another question. */
chan q = [1] of { bit };
active proctype p() {
#ifdef ELSEWHERE
accept:	q!1;
	q!1
#else
	q!1;
accept:	q!1
#endif
}
