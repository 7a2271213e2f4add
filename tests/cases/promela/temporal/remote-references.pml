//! check --claim labels => holds
//! check --claim variables => holds
//! check --claim other => fails
//! check --ltl [](p[0]@here->p[0]:n==1) => holds
//! check --ltl [](p[1]@here->p[0]:n==1) => fails
//! check --ltl <>(count==2&&len(q)==0) => holds
//! check --ltl []nfull(q) => fails
//! check --ltl [](st==idle) => fails
mtype = { idle, busy };
mtype st = idle;
byte count;
chan q = [1] of { byte };
active [2] proctype p() {
	byte n;
	n = 1;
here:	n = 2;
	q!_pid; st = busy; q?_; st = idle; count++
}
ltl labels { [] (p[0]@here -> p[0]:n == 1) }
ltl variables { <> (p[0]:n == 2) }
ltl other { [] (p[1]@here -> p[0]:n == 2) }
