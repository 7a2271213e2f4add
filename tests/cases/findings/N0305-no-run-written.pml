//! check --trail never-written.trail => holds finding=N0305
active proctype P() { skip }
