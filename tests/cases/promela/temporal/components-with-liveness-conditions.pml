//! check --claim both => fails violation.kind=run
//! check --claim both --fair weak => fails violation.kind=run
//! check --claim both --fair live => holds property.fairness=live
//! check --claim first --fair live => fails violation.kind=run
/* Two components, each a Büchi automaton: only runs that pass both accept labels again and again are runs of the program. */
bit x, y;
active proctype a() {
  do
  :: skip -> accept_a: x = 1
  :: x = 0
  od
}
active proctype b() {
  do
  :: y = 0
  :: skip -> accept_b: y = 1
  od
}
ltl both { <> (a@accept_a || b@accept_b) }
ltl first { <> [] (x == 1) }
