// short and int wrap around, like those of C.
//! check --all-errors => holds states=10 transitions=9 errors=0
short s = 32767; int i = 2147483647; byte b = 255;
active proctype p() { s++; i++; b++; assert(s == -32768 && i == -2147483647 - 1 && b == 0); s--; i = i - 1; b--; assert(s == 32767 && i == 2147483647 && b == 255) }
