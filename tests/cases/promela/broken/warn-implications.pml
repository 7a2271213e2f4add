/* expect warning 4:16 "a chain of implications is read from the left, as SPIN does" */
bool p;
active proctype a() { p = true }
ltl f { p -> p -> p }
