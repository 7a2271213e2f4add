// What the array holds decides nothing, but an index that leaves it is an error.
//! check => fails errors=1
//! check --reductions slice => fails errors=1 slice.variables=["a","sum"]
byte a[4], i; int sum;
active proctype P() { do :: a[i] = sum; sum = sum + a[i]; i++ od }
