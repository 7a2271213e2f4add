/* expect error 3:8 "`a` is an array; an index is needed" */
byte a[3];
init { a = 1; assert(a[0]) }
