//! compare W0119-trace-ignored.pml --relation strong => holds finding=W0119
chan q = [1] of { byte };
trace { do :: q ! 1 od }
active proctype P() { byte x; do :: q ! 1 :: q ? x od }
