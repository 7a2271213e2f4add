//! check => holds finding=N0101 at=2:6
byte spare;
active proctype P() { skip }
