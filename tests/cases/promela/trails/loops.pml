//! check => fails violation.kind=fault
/* Statements that stand for many: for, select, inline. */
byte table[3];
byte sum;

inline add(where, what) {
	if
	:: what > 1 -> where = where + what
	:: else -> where = where + 1
	fi
}

active proctype p() {
	byte index, k;
	for (index : 0 .. 2) {
		select (k : 1 .. 3);
		table[index] = k
	}
	for (k in table) {
		add(sum, table[k])
	}
	select (k : 1 .. sum);
	byte late = k;
	assert(late < 7)
}
