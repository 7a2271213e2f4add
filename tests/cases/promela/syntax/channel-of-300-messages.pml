// A channel may hold more than 255 messages.
//! check --all-errors => holds states=875 transitions=874 errors=0
chan q = [300] of { byte };
int n;
active proctype p() { do :: n < 290 -> q!1; n++ :: else -> break od; assert(len(q) == 290); q?_ }
