//! check --claim served => fails
//! check --claim served --fair weak => fails
//! check --claim served --fair strong => holds
bool taken;
active [2] proctype user() {
	do
	:: atomic { !taken -> taken = true };
critical:	taken = false
	od
}
/* Each time the lock is free the other one takes it: the first is able to again and again, but not all the time. */
ltl served { [] <> user[0]@critical }
