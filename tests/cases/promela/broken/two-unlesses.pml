/* expect error 3:28 "a second `unless` needs braces around the first" */
byte x;
init { x = 1 unless x == 2 unless x == 3; assert(x) }
