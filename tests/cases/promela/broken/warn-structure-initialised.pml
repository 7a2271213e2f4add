/* expect warning 3:7 "the initial value of a structure is ignored, as in SPIN" */
typedef T { byte b = 7 };
T t = 255;
init { assert(t.b == 7) }
