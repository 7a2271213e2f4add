//! check => fails violation.kind=fault
// There is room for one more process, and two are created, one after the other: too many unless the first has ended.

byte i;

proctype waits() {
end:	false
}

proctype a() { skip }

init {
	d_step {
		do
		:: i < 253 -> run waits(); i++
		:: else -> break
		od
	}
	run a();
	run a()
}
