//! check => holds finding=N0104
active proctype P() { End: skip }
