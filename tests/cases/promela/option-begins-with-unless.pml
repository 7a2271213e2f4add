// A statement with an escape as the first of an option, and after a jump, within an atomic sequence and outside.
//! check --all-errors => fails states=54 transitions=84 errors=1
byte x, y;
active proctype p() {
  do
  :: { x = 1; x = 2 } unless { y == 1 -> y = 2 }
  :: x == 2 -> break
  od;
  atomic { if :: { x = 3; x = 4 } unless { y == 2 } :: { skip; goto L } unless { false } fi; x = 5 };
L: { x = 6 } unless { y == 3 }
}
active proctype q() { y = 1; y == 2 -> y = 3 }
