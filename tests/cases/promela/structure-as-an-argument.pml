// A structure is handed over field by field, the fields of structures in it too.
//! check --all-errors => holds states=16 transitions=19 errors=0
typedef Point { byte x; byte y };
typedef Line { Point from; Point to; byte colour };
byte sum;
proctype p(Line l; byte n) { sum = l.from.x + 10 * l.from.y + 100 * l.to.y; l.to.x = n; assert(sum == 121 && l.colour == 7 && l.to.x == 3) }
init { Line a; a.from.x = 1; a.from.y = 2; a.to.y = 1; a.colour = 7; run p(a, 3); a.colour = 0 }
