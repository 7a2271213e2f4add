//! check => finding=E0004 at=3:23
byte count;
active proctype P() { cuont++ }
