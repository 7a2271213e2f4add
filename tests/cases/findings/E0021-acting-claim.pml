//! check --claim never => finding=E0021
byte x;
active proctype P() { x = 1 }
never { do :: x = 1 od }
