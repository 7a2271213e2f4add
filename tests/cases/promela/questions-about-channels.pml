// How full a channel is, in all the ways to ask.
//! check --all-errors => fails states=52 transitions=72 errors=2
chan q = [2] of { byte }; byte n;
active proctype p() { do :: nfull(q) -> q!1 :: full(q) -> n = len(q); break od }
active proctype r() { byte x; if :: nempty(q) -> q?x :: empty(q) -> n = 7 fi; len(q) == 2 }
