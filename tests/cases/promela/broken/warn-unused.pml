/* expect note 2:6 "variable `x` is never used" */ /* expect note 2:9 "variable `y` is written but never read" */ /* expect warning 2:12 "variable `z` is never written: it is always 0" */ /* expect warning 3:6 "variable `q` is never written: it is no channel" */
byte x, y, z;
chan q;
init { y = 1; assert(z); q!1 }
