/* expect error 4:19 "the same variable takes two fields of one message" */
chan q = [1] of { byte, byte };
byte x;
init { q!1,2; q?x,x; assert(x) }
