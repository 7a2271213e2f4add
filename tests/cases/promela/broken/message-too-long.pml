/* expect error 4:8 "a message of this channel has 2 fields, not 3" */ /* expect warning 4:17 "a message of this channel has 2 fields, not 3" */
chan q = [1] of { byte, byte };
byte x;
init { q!1,2,3; q?x,_,_; assert(x) }
