/* expect error 2:8 "there is no variable `x`" */
init { x = 1; byte x; assert(x) }
