// A message counts as read, even if every receiver throws it away; where a receiver stores it and never reads it, it does not.
//! check --safety-only --reductions none => holds states=21
//! check --safety-only --reductions slice => holds slice.variables=["Q:got"]
chan c = [2] of { byte };
active proctype P() { byte n; end: do :: n < 3 -> n++; c!n od }
active proctype Q() { byte got; end: do :: c?got od }
