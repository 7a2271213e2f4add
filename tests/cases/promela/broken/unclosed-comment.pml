/* expect error 4:1 "this comment is never closed" */
byte x;
init { x = 1 }
/* and so on
