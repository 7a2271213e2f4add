//! check => fails violation.kind=fault
/* Rendez-vous within atomic sequences: the receiver goes on alone. */
chan r = [0] of { byte };
chan s = [0] of { byte };
byte sum;

active [2] proctype client() {
	byte answer;
	atomic { r!_pid + 1; s?answer; sum = sum + answer };
	assert(sum < 3)
}

active proctype server() {
	byte n;
end:	do
	:: atomic { r?n -> n = n * 2; s!n }
	od
}
