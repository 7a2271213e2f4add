/* expect error 3:24 "`break` outside a loop" */
byte x;
init { if :: x == 0 -> break :: else fi }
