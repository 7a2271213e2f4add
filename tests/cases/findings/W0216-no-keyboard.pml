//! check => finding=W0216
chan STDIN;
active proctype P() { byte c; STDIN ? c }
