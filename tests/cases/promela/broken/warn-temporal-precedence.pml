/* expect warning 4:14 "`==` is read as part of the temporal operator's operand" */ /* expect warning 5:23 "formula `g` cannot be checked: expected an expression, found `)`" */ /* expect warning 6:13 "formula `h` cannot be checked: there is no variable `z`" */
byte x;
active proctype p() { x = 1 }
ltl f { [] x == 1 }
ltl g { [] (x == 1 -> ) }
ltl h { [] (z) }
