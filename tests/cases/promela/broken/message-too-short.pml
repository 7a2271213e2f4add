/* expect warning 4:8 "a message of this channel has 2 fields, not 1" */ /* expect warning 4:13 "a message of this channel has 2 fields, not 1" */
chan q = [1] of { byte, byte };
byte x;
init { q!1; q?x; assert(x) }
