/* expect error 3:16 "division by zero" */
byte x;
init { x = 3 % 0; assert(x) }
