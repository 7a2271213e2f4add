// Conditions of the preprocessor, macros taken back, and line numbers that somebody else gives.
//! check --all-errors => holds states=13 transitions=18 errors=0
#define N 3
#define TWICE(a) ((a) + (a))
#define NEXT TWICE(N) + 1
#undef MISSING
#if defined(N) && !defined MISSING && N * 2 + 1 == 7
byte x = NEXT;
#elif N > 2
byte x = 1, x = 2;
#else
nonsense
#endif
#if (N << 1) % 4 != 2 || -N > 0 || ~N == 0 || (N > 2 ? 0 : 1)
also nonsense
#elif N - 1 <= 2 && N / 2 >= 1 && (N ^ 1) == 2 && (N & 2 | 4) == 6 && N >> 1 < 2
#define M 2
#endif
#ifndef M
nothing of this
#endif
#undef N
#ifdef N
nor of this
#else
# define N 1
#endif
#pragma once
#line 100 "elsewhere.pml"
active [M] proctype p() { x = x + N; assert(x <= 9) }
