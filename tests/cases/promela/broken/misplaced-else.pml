/* expect error 3:15 "`else` can only be the first statement of an option" */ /* expect error 3:39 "`else` can only be the first statement of an option" */
byte x;
init { x = 1; else; if :: x -> x = 2; else :: skip fi }
