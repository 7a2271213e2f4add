//! check => finding=E0007
active [300] proctype P() { skip }
