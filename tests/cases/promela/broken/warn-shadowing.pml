/* expect warning 3:13 "`x` hides another variable of that name" */ /* expect warning 3:41 "`x` hides another variable of that name" */
byte x;
init { byte x; x = 1; assert(x); { byte x = 2; assert(x) } }
active proctype p() { x = 1; assert(x) }
