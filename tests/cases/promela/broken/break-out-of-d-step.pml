/* expect error 3:30 "this `break` would leave a `d_step`" */
byte x;
init { do :: d_step { x = 1; break } od; assert(x) }
