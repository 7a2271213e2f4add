/* expect error 2:8 "a declaration cannot have a label" */
init { L: byte x; x = 1; goto L; assert(x) }
