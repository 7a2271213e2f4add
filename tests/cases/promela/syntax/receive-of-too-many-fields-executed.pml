// Taking a message with more fields than it has is a run-time error. SPIN stops there.
//! check --all-errors => fails
chan q = [2] of { byte, byte };
byte a, b, c = 7;
active proctype p() { q!1,2; q?a,b,c; assert(a == 1 && b == 2 && c == 7); skip }
