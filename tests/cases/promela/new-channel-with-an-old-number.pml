//! check => fails violation.kind=fault
/* The channel of D is gone when X sends to it, which is an error; unless Q was created by then, whose channel has
   the number that D's had. So creating Q is of concern to X. */
chan g; bool go;
proctype D() { chan l = [1] of { byte }; g = l }
proctype Q() { chan l = [1] of { byte }; end: do :: 0 od }
active proctype X() { (go); g!1; end: do :: 0 od }
active proctype Y() { run D(); (_nr_pr == 2); go = true; run Q(); end: do :: 0 od }
