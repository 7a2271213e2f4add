// `-->` is `->`.
//! check --all-errors => holds states=6 transitions=5 errors=0
byte n, m = 3;
active proctype p() { n < m --> n = 1; if :: n --> m = 2 :: else --> skip fi }
