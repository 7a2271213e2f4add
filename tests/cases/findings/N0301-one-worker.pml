//! check --store replacing --threads 2 => holds finding=N0301
//! check --threads 2 => holds without=N0301
active proctype P() { skip }
