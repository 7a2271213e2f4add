//! check --end-states only => fails violation.kind=deadlock
/* When its assertion has failed, X rests in the middle of its atomic sequence, where Z may take the message that X is certain
   to find otherwise. */
chan c = [1] of { byte };
active proctype Z() { byte z; c!1; end1: c?z; c!2; end2: (0) }
active proctype X() {
	byte x;
end0:	atomic { nempty(c) && c?[1] -> do :: assert(false) :: c?x -> break od };
	if :: x == 2 -> (0) :: else -> skip fi;
end3:	(0)
}
