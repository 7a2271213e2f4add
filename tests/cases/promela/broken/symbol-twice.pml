/* expect error 3:11 "symbolic constant `ack` is declared twice" */
mtype = { ack, nak };
mtype = { ack };
init { mtype m; m = ack; assert(m) }
