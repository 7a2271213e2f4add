/* expect error 3:8 "there is no variable `countr`" */
byte counter;
init { countr = 1; assert(counter) }
