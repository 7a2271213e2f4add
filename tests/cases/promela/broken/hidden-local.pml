/* expect error 2:20 "only a global variable can be `hidden`" */
init { hidden byte x; x = 1; assert(x) }
