/* expect warning 3:16 "division by zero: an error when this is evaluated" */
byte x;
init { x = 3 % 0; assert(x) }
