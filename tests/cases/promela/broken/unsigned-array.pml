/* expect error 2:18 "an array cannot be `unsigned`" */ /* expect error 3:18 "a field of a message cannot be `unsigned`" */
unsigned u : 3 [ 2 ];
chan q = [1] of {unsigned, byte};
init { u[0] = 1; q!u[0] }
