// An `else` where there is no choice is always executable.
//! check --all-errors => fails states=65 transitions=112 errors=1
byte x;
active proctype p() {
  do
  :: x < 3 -> x++;
     else -> skip
  od
}
active proctype q() { else; d_step { skip; else -> skip }; atomic { skip; else; skip } }
