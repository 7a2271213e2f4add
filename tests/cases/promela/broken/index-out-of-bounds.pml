/* expect error 3:10 "index 3 is outside the array `a` of 3 elements" */
byte a[3];
init { a[3] = 1; assert(a[0]) }
