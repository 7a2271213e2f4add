/* expect error 2:1 "an `unsigned` variable needs a width: `unsigned x : 4`" */ /* expect error 2:17 "the width of an `unsigned` variable is 1 to 32 bits" */ /* expect error 3:10 "only `unsigned` variables have a width" */
unsigned x, y : 40;
byte z : 3;
init { x = 1; y = x; z = y; assert(z) }
