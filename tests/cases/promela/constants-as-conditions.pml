// Conditions that are constants, by every operator, and characters in expressions, messages and receives.
//! check --all-errors => holds states=17 transitions=16 errors=0
chan q = [3] of { byte, bool };
byte x, c;
active proctype p() {
  q!'a',true; q!'\n',false; q!'\\',1 > 2;
  q?'a',true; q?c,false; assert(c == 10); q?c,0; assert(c == '\\');
  do
  :: (2 * 3 - 7 % 4 == 3) && (1 << 3 | 1) > 8 -> x = 1; break
  :: !(5 & 4) || ~0 == 1 -> x = 2
  :: (6 ^ 3) >= 6 && 8 >> 2 < 2 -> x = 3
  :: (1 -> 0 : 1) -> x = 4
  :: 3 != 3 -> x = 5
  :: 9 / 2 <= 4 -> x = 6; break
  od;
  assert(x == 1 || x == 6)
}
