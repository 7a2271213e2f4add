//! check --stoer exact => finding=E0010
active proctype P() { skip }
