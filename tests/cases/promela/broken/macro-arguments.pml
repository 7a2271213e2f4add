/* expect error 4:12 "macro `SUM` takes 2 arguments, not 1" */
#define SUM(a, b) (a + b)
byte x;
init { x = SUM(1); assert(x) }
