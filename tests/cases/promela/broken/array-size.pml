/* expect error 3:8 "an array has 1 to 1000000 elements, not 0" */ /* expect error 3:14 "the size of an array must be a constant" */
byte n = 3;
byte a[0], b[n + 1];
init { a[0] = n; b[0] = a[0]; assert(b[0]) }
