//! check => finding=E0003 at=2:23
active proctype P() { c_code { now.x = 1; } }
