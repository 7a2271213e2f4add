// A loop over the messages of a channel takes each out and puts it back.
//! check --all-errors => holds states=19 transitions=18 errors=0
typedef msg { byte a; byte b };
chan q = [3] of { msg };
msg m;
byte s;
active proctype p() { m.a = 1; q!m; m.a = 2; q!m; for (m in q) { s = s + m.a } assert(s == 3 && len(q) == 2) }
