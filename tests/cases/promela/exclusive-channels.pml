// xr and xs are promises about channels; they take no step.
//! check --all-errors => holds states=11 transitions=12 errors=0
chan q = [2] of { byte }; byte x;
active proctype p() { xs q; x = 1; q!1; q!2 }
active proctype r() { xr q; byte y; q?y; x = y; q?y }
