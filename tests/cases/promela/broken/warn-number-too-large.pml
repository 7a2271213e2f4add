/* expect warning 3:12 "`4294967297` does not fit into an int and becomes 1, as in SPIN" */
int x;
init { x = 4294967297; x = x - 2147483647 - 1; x = -2147483648; assert(x) }
