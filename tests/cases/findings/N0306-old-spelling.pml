//! check --store replacing --cache 200 => holds finding=N0306
active proctype P() { skip }
