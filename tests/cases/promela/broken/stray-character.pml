/* expect error 3:14 "`$` has no meaning in Promela" */
byte x;
init { x = 1 $ 2 }
