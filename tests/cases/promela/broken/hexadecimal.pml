/* expect error 3:12 "`0x1F` is not a number; Promela has only decimal ones" */
int x;
init { x = 0x1F; assert(x) }
