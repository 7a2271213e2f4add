// `xr` and `xs` say who uses a channel; they are no statements, wherever they stand.
//! check --all-errors => fails states=33 transitions=42 errors=1
chan q = [2] of { byte };
byte x;
active proctype p() { xs q; if :: xs q; skip; skip; q!1 :: q!2; skip; xs q; skip fi; x = 1 }
active proctype r() { byte y; xr q; do :: xr q; q?y; x = y :: x == 1 -> break od }
