/* expect error 3:13 "a jump cannot enter or leave a `d_step`" */
byte x;
init { goto L; d_step { x = 1; L: x = 2 }; assert(x) }
