/* expect error 3:5 "variable `x` is declared twice" */
byte x;
int x;
init { x = 1; assert(x) }
