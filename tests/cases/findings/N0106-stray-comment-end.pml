//! check => holds finding=N0106
/* outer /* inner */ */
active proctype P() { skip }
