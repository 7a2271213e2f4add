//! check --non-progress => fails violation.kind=run property.kind=progress
//! check --non-progress --fair weak => holds
//! check --safety-only => holds
byte x;
active proctype worker() { do :: x < 2 -> progress: x++ :: x == 2 -> x = 0 od }
active proctype idler() { bit z; do :: z = 1 - z od }
