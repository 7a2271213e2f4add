/* expect error 3:18 "label `L` is declared twice" */ /* expect warning 3:36 "this statement cannot be reached" */
byte x;
init { L: x = 1; L: x = 2; goto L; assert(x) }
