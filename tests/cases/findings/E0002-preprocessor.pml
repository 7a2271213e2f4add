//! check => finding=E0002 at=2:1
#ifdef SAFE
active proctype P() { skip }
