/* expect error 3:12 "`99999999999` does not fit into an int" */
int x;
init { x = 99999999999; assert(x) }
