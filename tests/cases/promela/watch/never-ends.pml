//! check --claim never => fails violation.kind=run
//! check --claim never --search bfs --store exact => fails violation.length=8
//! check --safety-only => holds states=48
byte x, y;
active proctype p() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active proctype q() { do :: y < 2 -> y++ :: y == 2 -> y = 0 od }
/* x and y can both be 2: four steps of each process. The claim sees it in the state after them. */
never { do :: !(x == 2 && y == 2) :: x == 2 && y == 2 -> break od }
