//! check => fails violation.kind=fault
// A process looks whether somebody waits at a rendez-vous channel; it may do so before the receiver is created.

chan c = [0] of { byte };

proctype s() {
	if
	:: c!1
	:: else -> assert(false)
	fi
}

proctype r() {
end:	c?_
}

init { run s(); run r() }
