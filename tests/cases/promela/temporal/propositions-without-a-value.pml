//! check --claim index => fails violation.kind=fault
//! check --claim index --faults ignore => fails violation.kind=run
//! check --claim channel => fails violation.kind=fault
//! check --claim channel --faults ignore => fails violation.kind=run
//! check --claim guarded => holds
//! check --claim unguarded => fails violation.kind=fault
//! check --claim settled => holds
//! check --claim nobody => holds
//! check --claim never -DCLAIM => fails violation.kind=fault
/* An index out of range, no channel: a proposition without a value is an error where its value decides how the formula
   goes on; where another proposition decides, or it has been decided before, nobody asks for it. A process that does not
   exist is at no label, and that is a value. */
byte a[2], i;
chan q;
active proctype p() {
	i = 1;
	i = 5;
	i = 0
}
ltl index { [] (a[i] == 0) }
ltl channel { [] (len(q) < 2) }
ltl guarded { [] (i < 2 -> a[i] == 0) }
ltl unguarded { [] (i < 9 -> a[i] == 0) }
ltl settled { <> (a[i] == 0) }
ltl nobody { [] !(r[3]@there) }
#ifdef CLAIM
never { do :: a[i] == 0 od }
#endif
active proctype r() {
there:	skip
}
