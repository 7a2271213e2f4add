// Arguments decide something only if the parameter does.
//! check --reductions none => holds
//! check --reductions slice => holds slice.variables=["P:name","P:seen","init:i"]
byte x;
proctype P(byte name, limit) { byte seen; seen = name; x < limit; seen = limit }
init { byte i = 3; atomic { run P(i, 2); i++; run P(i, 1) } }
