/* expect warning 3:15 "this `else` does not begin an option" */ /* expect warning 3:39 "this `else` does not begin an option" */
byte x;
init { x = 1; else; if :: x -> x = 2; else :: skip fi }
