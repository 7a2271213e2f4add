/* expect error 2:1 "this conditional is never closed by `#endif`" */
#ifdef A
byte x;
init { x = 1 }
