// Of a number that does not fit into an int, the lower 32 bits remain.
//! check --all-errors => holds states=4 transitions=3 errors=0
int x = 4294967297, y = 2147483648, z = 99999999999999999999;
active proctype p() { assert(x == 1 && y < 0 && z == -1); x = 4294967295 }
