// The first process is blocked in the middle of its sequence only while the second has not come to wait. Only then does
// it hear the third, so the second may not hurry over its own business (statement merging).
//! check --end-states ignore => fails
//! check --end-states ignore --reductions merge => fails
//! check --end-states ignore --reductions none --all-errors => fails errors=2
chan c = [0] of { byte }; chan d = [0] of { byte }; chan q = [1] of { byte };
active proctype first() {
	byte m;
	q?m;
	atomic { m = 1; if :: c!1 :: d?m -> assert(false) fi }
}
active proctype second() { byte m; q!1; m = 1; c?m }
active proctype third() { d!5 }
