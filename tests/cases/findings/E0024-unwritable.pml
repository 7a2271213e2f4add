//! check --trail no-such-folder/run.trail => finding=E0024
active proctype P() { skip }
