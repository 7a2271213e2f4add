/* expect warning 3:8 "the size of an array is taken from the initial value of `n`, 3" */
byte n = 3;
byte a[n];
init { a[0] = n; assert(a[0]) }
