// Four workers that share two tools. Nothing tells one worker from another, so that with symmetry it is only told how many
// of them are where.
//! check --reductions none => holds states=113
//! check --reductions symmetry => holds states=15
//! check --reductions por,symmetry => holds
byte tools = 2, working;
active [4] proctype worker() {
  do
  :: atomic { tools > 0 -> tools-- };
     working++;
     assert(working <= 2);
     working--;
     tools++
  od }
