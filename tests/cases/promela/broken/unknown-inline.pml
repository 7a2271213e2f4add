/* expect error 3:8 "there is no inline `set`" */
byte x;
init { set(1); x = 1; assert(x) }
