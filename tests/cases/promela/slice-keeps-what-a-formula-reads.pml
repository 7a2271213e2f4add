// The same variable decides nothing, until a formula asks about it. What flows into it is kept too.
//! check --reductions slice => holds states=2 slice.variables=["n","m"]
//! check --reductions slice --store exact --ltl [](n<9) => fails slice.variables=[]
//! check --reductions slice --store exact --ltl [](m<10) => holds slice.variables=["n"]
byte n, m;
active proctype P() { do :: n = n + m; m = (m + 1) % 10 od }
