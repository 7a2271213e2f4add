/* expect error 3:8 "`a` is not an array" */
byte a;
init { a[1] = 1; assert(a) }
