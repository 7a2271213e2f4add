//! check --memory 2MiB --threads 1 => holds finding=N0303
int x, y; byte z[40];
active proctype P() { do :: x < 20000 -> d_step { x++; y = x * 7; z[x % 40] = x } :: else -> break od }
