/* expect error 4:14 "the operand of `==` is a temporal formula" */ /* expect error 5:23 "expected an expression, found `)`" */
byte x;
active proctype p() { x = 1 }
ltl f { [] x == 1 }
ltl g { [] (x == 1 -> ) }
