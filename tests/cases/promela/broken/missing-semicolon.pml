/* expect error 3:14 "`;` or `->` is missing before `x`" */
byte x;
init { x = 1 x = 2; assert(x) }
