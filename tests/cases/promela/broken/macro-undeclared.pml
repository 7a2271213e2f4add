/* expect error 4:21 "there is no variable `counter`" */
#define READY (counter == 3)
byte cuonter;
init { cuonter = 1; READY -> skip }
