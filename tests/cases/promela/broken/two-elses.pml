/* expect error 3:41 "there is an `else` in this selection already" */
byte x;
init { if :: x == 1 :: else -> x = 1 :: else -> x = 2 fi }
