/* expect warning 3:10 "index 3 is outside the array `a` of 3 elements: an error when" */
byte a[3];
init { a[3] = 1; assert(a[0]) }
