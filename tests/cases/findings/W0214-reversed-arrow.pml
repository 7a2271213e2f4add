//! check --end-states ignore => finding=W0214
int q;
active proctype P() { q <- 1 }
