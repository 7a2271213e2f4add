/* expect warning 2:10 "300 does not fit (0 to 255) and becomes 44" */ /* expect warning 5:12 "2 does not fit (0 to 1) and becomes 0" */ /* expect warning 5:17 "256 does not fit (0 to 255) and becomes 0" */ /* expect warning 5:46 "-1 does not fit (0 to 255) and becomes 255" */
byte x = 300;
bit b;
chan q = [1] of { byte };
init { b = 2; q!256; q?x; assert(x + b); x = -1 }
