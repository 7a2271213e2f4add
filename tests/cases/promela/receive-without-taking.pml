// ?<> and ??<> leave the message where it is; polls bind nothing.
//! check --all-errors => fails states=12 transitions=11 errors=1
chan q = [3] of { byte };
byte x;
active proctype p() { q!2; q!5; q?<x>; assert(len(q) == 2); assert(x == 2); q??<5>; assert(q??[5]); assert(!q?[5]); q?_; q?x; assert(x == 5); q?[x] }
