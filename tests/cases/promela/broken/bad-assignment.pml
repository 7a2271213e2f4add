/* expect error 3:8 "`=` needs a variable on its left" */ /* expect error 3:17 "`=` needs a variable on its left" */
byte x;
init { (x) = 3; x + 1 = 2; assert(x) }
