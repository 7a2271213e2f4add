//! check => holds finding=N0202
//! check --states 2 => unknown without=N0202
//! check --store bitstate --memory 8MiB => holds without=N0202
chan q = [4] of { byte };
active proctype P() { byte x; q!1; q?x }
