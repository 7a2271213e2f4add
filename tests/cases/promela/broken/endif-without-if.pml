/* expect error 3:2 "`#endif` without `#if`" */
byte x;
#endif
init { x = 1; assert(x) }
