/* expect error 3:10 "there is no field `x`: this is not a structure" */
byte p;
init { p.x = 1; assert(p) }
