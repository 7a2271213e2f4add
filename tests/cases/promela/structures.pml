// Structures in structures, in arrays and in messages.
//! check --all-errors => holds states=7 transitions=6 errors=0
typedef inner { bit flag; byte at[2] };
typedef outer { inner one; short n };
outer a[2];
chan q = [1] of { inner };
active proctype p() { inner mine; mine.at[1] = 7; q!mine; q?a[1].one; a[1].n = a[1].one.at[1] - 9; assert(a[1].n == -2 && a[0].one.at[1] == 0) }
