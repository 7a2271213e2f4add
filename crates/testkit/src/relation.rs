//! Which systems are related, by the definitions: an oracle for quotients and comparisons.
//!
//! A relation between states is a square of booleans over the disjoint union of both systems. It starts with all pairs,
//! and pairs that break the definition are taken out, again and again, until none does: the greatest fixpoint, pair by
//! pair, with closures of internal steps computed by walking. Nothing is shared with the algorithms it judges: no
//! partitions, no signatures, no components. This is meant for systems of a dozen states.
//!
//! Two relations are not greatest fixpoints of that kind. *Divergence* asks for an infinite internal run inside a class,
//! which grows with the class, so that taking out pairs in any order could take out too many; hence it is computed in
//! rounds: the branching bisimulation within what is still allowed, then the pairs of which only one diverges inside
//! its class are forbidden, until a round forbids nothing. *Traces* are compared by walking the sets of states that a
//! trace can lead to.

use elnath_kernel::relation::Relation;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Action, Describe, Fault, Stepper, Successors, System, Terse, Transition};
use std::collections::BTreeSet;

/// A small labelled transition system. State 0 is the initial one, label 0 is the internal action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// How many states there are, at least one.
    pub states: u32,
    /// Source, label, target.
    pub transitions: Vec<(u32, u32, u32)>,
}

impl Labelled {
    /// A random system: up to `states` states, up to `labels` visible labels, with a density and a share of internal
    /// steps that differ from system to system.
    pub fn random(states: u32, labels: u32, rng: &mut Rng) -> Self {
        let states = 1 + rng.below(states.into()) as u32;
        let labels = 1 + rng.below(labels.into()) as u32;
        let transitions = rng.below(u64::from(states) * 3 + 1);
        let internal = rng.below(100);
        let mut system = Self { states, transitions: Vec::new() };
        for _ in 0..transitions {
            let from = rng.below(states.into()) as u32;
            let label = if rng.below(100) < internal { 0 } else { 1 + rng.below(labels.into()) as u32 };
            system.transitions.push((from, label, rng.below(states.into()) as u32));
        }
        system
    }

    /// A system that is strongly bisimilar to this one: some states are doubled, and those that led to a doubled state
    /// lead to one of both, or to both.
    pub fn blurred(&self, rng: &mut Rng) -> Self {
        let mut copies: Vec<Vec<u32>> = (0..self.states).map(|state| vec![state]).collect();
        let mut states = self.states;
        for copies in &mut copies {
            if rng.below(3) == 0 {
                copies.push(states);
                states += 1;
            }
        }
        let mut transitions = Vec::new();
        for &(from, label, to) in &self.transitions {
            for &source in &copies[from as usize] {
                let targets = &copies[to as usize];
                let chosen = rng.below(targets.len() as u64 + 1) as usize;
                match targets.get(chosen) {
                    Some(&target) => transitions.push((source, label, target)),
                    None => transitions.extend(targets.iter().map(|&target| (source, label, target))),
                }
            }
        }
        Self { states, transitions }
    }

    /// The name of a label: `i`, and then `a`, `b`, ...
    pub fn label_name(label: u32) -> String {
        match label {
            0 => "i".to_owned(),
            1..=26 => char::from(b'a' + (label - 1) as u8).to_string().replace('i', "I"),
            _ => format!("l{label}"),
        }
    }
}

/// Whether two systems are equivalent.
///
/// # Panics
/// For failures, which have no oracle here.
pub fn related(relation: Relation, left: &Labelled, right: &Labelled) -> bool {
    let (union, right_initial) = Union::of(left, right);
    union.equivalence(relation).has(0, right_initial)
}

/// Whether the left system is below the right one, in the preorder of a relation that has one of its own.
///
/// # Panics
/// For relations whose preorder has no oracle here.
pub fn below(relation: Relation, left: &Labelled, right: &Labelled) -> bool {
    let (union, right_initial) = Union::of(left, right);
    union.preorder(relation).has(0, right_initial)
}

/// All pairs of equivalent states of one system.
///
/// # Panics
/// For failures, which have no oracle here.
pub fn equivalent_states(relation: Relation, system: &Labelled) -> Pairs {
    Union::alone(system).equivalence(relation)
}

/// All pairs of which the first state is below the second.
///
/// # Panics
/// For relations whose preorder has no oracle here.
pub fn ordered_states(relation: Relation, system: &Labelled) -> Pairs {
    Union::alone(system).preorder(relation)
}

/// A set of pairs of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    states: usize,
    inside: Vec<bool>,
}

impl Pairs {
    fn all(states: usize) -> Self {
        Self { states, inside: vec![true; states * states] }
    }

    /// Whether this pair is in the set.
    pub fn has(&self, p: usize, q: usize) -> bool {
        self.inside[p * self.states + q]
    }

    fn keep(&mut self, mut good: impl FnMut(&Self, usize, usize) -> bool) -> bool {
        let mut kept_all = true;
        for p in 0..self.states {
            for q in 0..self.states {
                if self.has(p, q) && !good(self, p, q) {
                    self.inside[p * self.states + q] = false;
                    kept_all = false;
                }
            }
        }
        kept_all
    }

    /// Takes out pairs that are not good, until all are.
    fn fixpoint(mut self, mut good: impl FnMut(&Self, usize, usize) -> bool) -> Self {
        while !self.keep(&mut good) {}
        self
    }

    /// The pairs that are in the set both ways round.
    fn mutual(&self) -> Self {
        let mut both = self.clone();
        both.keep(|_, p, q| self.has(q, p));
        both
    }
}

/// The disjoint union of two systems.
struct Union {
    states: usize,
    labels: u32,
    /// By state: label and target.
    steps: Vec<Vec<(u32, usize)>>,
    /// By state: what internal steps lead to, the state itself among them.
    closure: Vec<BTreeSet<usize>>,
}

impl Union {
    fn of(left: &Labelled, right: &Labelled) -> (Self, usize) {
        let shift = left.states;
        let moved = right.transitions.iter().map(|&(from, label, to)| (from + shift, label, to + shift));
        let both = Labelled {
            states: left.states + right.states,
            transitions: left.transitions.iter().copied().chain(moved).collect(),
        };
        (Self::alone(&both), shift as usize)
    }

    fn alone(system: &Labelled) -> Self {
        let states = system.states as usize;
        let mut steps = vec![Vec::new(); states];
        for &(from, label, to) in &system.transitions {
            steps[from as usize].push((label, to as usize));
        }
        let labels = system.transitions.iter().map(|&(_, label, _)| label + 1).max().unwrap_or(1);
        let mut union = Self { states, labels, steps, closure: Vec::new() };
        union.closure = (0..states).map(|state| union.internal(&BTreeSet::from([state]))).collect();
        union
    }

    fn preorder(&self, relation: Relation) -> Pairs {
        let all = Pairs::all(self.states);
        match relation {
            Relation::Strong | Relation::Simulation => all.fixpoint(|r, p, q| {
                self.steps[p].iter().all(|&(label, p1)| self.after(q, label).iter().any(|&q1| r.has(p1, q1)))
            }),
            Relation::ReadySimulation => all.fixpoint(|r, p, q| {
                let offers = |state: usize| -> BTreeSet<u32> {
                    self.steps[state].iter().map(|&(label, _)| label).collect()
                };
                offers(p) == offers(q)
                    && self.steps[p]
                        .iter()
                        .all(|&(label, p1)| self.after(q, label).iter().any(|&q1| r.has(p1, q1)))
            }),
            Relation::WeakSimulation => all.fixpoint(|r, p, q| {
                self.steps[p].iter().all(|&(label, p1)| self.weakly(q, label).iter().any(|&q1| r.has(p1, q1)))
            }),
            Relation::Safety | Relation::TauStarA => all.fixpoint(|r, p, q| {
                (1..self.labels).all(|label| {
                    self.delayed(p, label)
                        .iter()
                        .all(|&p1| self.delayed(q, label).iter().any(|&q1| r.has(p1, q1)))
                })
            }),
            Relation::Trace => self.traces(|states| states.clone(), 0),
            Relation::WeakTrace => self.traces(|states| self.internal(states), 1),
            _ => panic!("no oracle for the preorder of {}", relation.name()),
        }
    }

    fn equivalence(&self, relation: Relation) -> Pairs {
        let all = Pairs::all(self.states);
        match relation {
            Relation::Strong => all.fixpoint(|r, p, q| {
                self.both(r, p, q, |p, q| self.steps[p].iter().all(|&(l, p1)| r.any(p1, &self.after(q, l))))
            }),
            Relation::Delay => all.fixpoint(|r, p, q| {
                self.both(r, p, q, |p, q| {
                    self.steps[p].iter().all(|&(label, p1)| match label {
                        0 => r.any(p1, &self.closure[q]),
                        _ => r.any(p1, &self.delayed(q, label)),
                    })
                })
            }),
            Relation::Weak => all.fixpoint(|r, p, q| {
                self.both(r, p, q, |p, q| self.steps[p].iter().all(|&(l, p1)| r.any(p1, &self.weakly(q, l))))
            }),
            Relation::TauStarA => all.fixpoint(|r, p, q| {
                self.both(r, p, q, |p, q| {
                    (1..self.labels).all(|label| {
                        self.delayed(p, label).iter().all(|&p1| r.any(p1, &self.delayed(q, label)))
                    })
                })
            }),
            Relation::Branching => self.branching(all),
            Relation::DivergenceBranching => {
                let mut allowed = all;
                loop {
                    let found = self.branching(allowed);
                    let busy: Vec<bool> = (0..self.states).map(|p| self.diverges_within(p, &found)).collect();
                    let mut next = found.clone();
                    if next.keep(|_, p, q| busy[p] == busy[q]) {
                        return found;
                    }
                    allowed = next;
                }
            }
            Relation::Failures | Relation::FailuresDivergences => {
                panic!("no oracle for {}", relation.name())
            }
            _ => self.preorder(relation).mutual(),
        }
    }

    /// Whether what is asked of a pair is true both ways; the relation must hold both ways as well.
    fn both(&self, r: &Pairs, p: usize, q: usize, asked: impl Fn(usize, usize) -> bool) -> bool {
        r.has(q, p) && asked(p, q) && asked(q, p)
    }

    /// The largest branching bisimulation within a symmetric relation.
    fn branching(&self, within: Pairs) -> Pairs {
        within.fixpoint(|r, p, q| {
            self.both(r, p, q, |p, q| {
                self.steps[p].iter().all(|&(label, p1)| {
                    (label == 0 && r.has(p1, q))
                        || self.closure[q].iter().any(|&q1| r.has(p, q1) && r.any(p1, &self.after(q1, label)))
                })
            })
        })
    }

    /// Whether internal steps can go on for ever among the states that are related to `state`.
    fn diverges_within(&self, state: usize, r: &Pairs) -> bool {
        // What is left when states without an internal step inside are taken out, again and again.
        let mut busy: BTreeSet<usize> = (0..self.states).filter(|&q| r.has(state, q)).collect();
        loop {
            let stays = |q: &usize| self.after(*q, 0).iter().any(|next| busy.contains(next));
            let next: BTreeSet<usize> = busy.iter().copied().filter(stays).collect();
            if next == busy {
                return busy.contains(&state);
            }
            busy = next;
        }
    }

    /// Inclusion of the sets of finite traces, of labels from `first` on.
    fn traces(&self, close: impl Fn(&BTreeSet<usize>) -> BTreeSet<usize>, first: u32) -> Pairs {
        let included = |p: usize, q: usize| {
            let start = (close(&BTreeSet::from([p])), close(&BTreeSet::from([q])));
            let mut seen = BTreeSet::from([start.clone()]);
            let mut pending = vec![start];
            while let Some((left, right)) = pending.pop() {
                for label in first..self.labels {
                    let after = |states: &BTreeSet<usize>| -> BTreeSet<usize> {
                        close(&states.iter().flat_map(|&state| self.after(state, label)).collect())
                    };
                    let next = (after(&left), after(&right));
                    if next.0.is_empty() {
                        continue;
                    }
                    if next.1.is_empty() {
                        return false;
                    }
                    if seen.insert(next.clone()) {
                        pending.push(next);
                    }
                }
            }
            true
        };
        let mut pairs = Pairs::all(self.states);
        pairs.keep(|_, p, q| included(p, q));
        pairs
    }

    fn after(&self, state: usize, label: u32) -> Vec<usize> {
        self.steps[state].iter().filter(|step| step.0 == label).map(|step| step.1).collect()
    }

    /// What any number of internal steps leads to, from some states.
    fn internal(&self, states: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut closure = states.clone();
        loop {
            let more: BTreeSet<usize> = closure.iter().flat_map(|&state| self.after(state, 0)).collect();
            if more.is_subset(&closure) {
                return closure;
            }
            closure.extend(more);
        }
    }

    /// Internal steps, then the label.
    fn delayed(&self, state: usize, label: u32) -> Vec<usize> {
        let all: BTreeSet<usize> =
            self.closure[state].iter().flat_map(|&middle| self.after(middle, label)).collect();
        all.into_iter().collect()
    }

    /// Internal steps, then the label, then internal steps; or internal steps only, none allowed, for the internal label.
    fn weakly(&self, state: usize, label: u32) -> BTreeSet<usize> {
        match label {
            0 => self.closure[state].clone(),
            _ => self.internal(&self.delayed(state, label).into_iter().collect()),
        }
    }
}

impl Pairs {
    fn any<'a>(&self, p: usize, states: impl IntoIterator<Item = &'a usize>) -> bool {
        states.into_iter().any(|&q| self.has(p, q))
    }
}

impl System for Labelled {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(LabelledStepper(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Labelled {
    fn state_text(&self, state: &[u8]) -> String {
        decode(state).to_string()
    }

    fn action_text(&self, action: Action) -> String {
        Self::label_name(action.0)
    }
}

struct LabelledStepper<'a>(&'a Labelled);

fn decode(state: &[u8]) -> u32 {
    u32::from_le_bytes(state.try_into().expect("four bytes"))
}

impl Stepper for LabelledStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = 0u32.to_le_bytes().to_vec();
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        let state = decode(state);
        out.clear();
        let mine = self.0.transitions.iter().enumerate().filter(|(_, t)| t.0 == state);
        out.extend(mine.map(|(index, _)| Transition(index as u64)));
    }

    fn fire(&mut self, _: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        *out = self.0.transitions[t.0 as usize].2.to_le_bytes().to_vec();
        Ok(())
    }

    fn action(&mut self, _: &[u8], t: Transition) -> Action {
        Action(self.0.transitions[t.0 as usize].1)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { none: propositions, acceptance, processes, tally }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_kernel::relation::Relation::{
        Branching, Delay, DivergenceBranching, ReadySimulation, Safety, Simulation, Strong, TauStarA, Trace,
        Weak, WeakSimulation, WeakTrace,
    };

    fn system(transitions: &[(u32, u32, u32)]) -> Labelled {
        let states = transitions.iter().map(|t| t.0.max(t.2) + 1).max().unwrap_or(1);
        Labelled { states, transitions: transitions.to_vec() }
    }

    const A: u32 = 1;
    const B: u32 = 2;
    const C: u32 = 3;

    /// Textbook pairs, each with the relations that hold: if one of these is wrong, so is the oracle.
    #[test]
    fn textbook_pairs() {
        let all = [
            Strong,
            DivergenceBranching,
            Branching,
            Delay,
            Weak,
            TauStarA,
            Safety,
            Simulation,
            WeakSimulation,
            ReadySimulation,
            Trace,
            WeakTrace,
        ];
        let check = |name: &str, left: &[(u32, u32, u32)], right: &[(u32, u32, u32)], hold: &[Relation]| {
            let (left, right) = (system(left), system(right));
            for relation in all {
                let expected = hold.contains(&relation);
                assert_eq!(related(relation, &left, &right), expected, "{name}: {}", relation.name());
                assert_eq!(
                    related(relation, &right, &left),
                    expected,
                    "{name}, reversed: {}",
                    relation.name()
                );
            }
        };
        check(
            "a.(b+c) and a.b + a.c",
            &[(0, A, 1), (1, B, 2), (1, C, 3)],
            &[(0, A, 1), (1, B, 2), (0, A, 3), (3, C, 4)],
            &[Trace, WeakTrace],
        );
        check(
            "a and a.tau",
            &[(0, A, 1)],
            &[(0, A, 1), (1, 0, 2)],
            &[DivergenceBranching, Branching, Delay, Weak, TauStarA, Safety, WeakSimulation, WeakTrace],
        );
        check(
            "a and tau loop with a",
            &[(0, A, 1)],
            &[(0, A, 1), (0, 0, 0)],
            &[Branching, Delay, Weak, TauStarA, Safety, WeakSimulation, WeakTrace],
        );
        check(
            "a + tau.b and a + b",
            &[(0, A, 1), (0, 0, 2), (2, B, 3)],
            &[(0, A, 1), (0, B, 2)],
            &[TauStarA, Safety, WeakSimulation, WeakTrace],
        );
        check(
            "a.(c + tau.b) and the same + a.b",
            &[(0, A, 1), (1, C, 2), (1, 0, 3), (3, B, 4)],
            &[(0, A, 1), (1, C, 2), (1, 0, 3), (3, B, 4), (0, A, 5), (5, B, 6)],
            &[Weak, Safety, WeakSimulation, WeakTrace],
        );
        check(
            "tau.a + b and the same + a",
            &[(0, 0, 1), (1, A, 2), (0, B, 3)],
            &[(0, 0, 1), (1, A, 2), (0, B, 3), (0, A, 4)],
            &[Delay, Weak, TauStarA, Safety, WeakSimulation, WeakTrace],
        );
        check(
            "a + a.b and a.b",
            &[(0, A, 1), (0, A, 2), (2, B, 3)],
            &[(0, A, 1), (1, B, 2)],
            &[Safety, Simulation, WeakSimulation, Trace, WeakTrace],
        );
        check(
            "a livelock and a deadlock",
            &[(0, 0, 0)],
            &[],
            &[Branching, Delay, Weak, TauStarA, Safety, WeakSimulation, WeakTrace],
        );
    }

    #[test]
    fn preorders_have_a_direction() {
        let less = system(&[(0, A, 1)]);
        let more = system(&[(0, A, 1), (1, B, 2), (0, 0, 0)]);
        for relation in [Strong, Simulation, WeakSimulation, Safety, Trace, WeakTrace] {
            assert!(below(relation, &less, &more) && !below(relation, &more, &less), "{}", relation.name());
        }
        assert!(!below(ReadySimulation, &less, &more));
    }

    #[test]
    fn a_blurred_copy_is_strongly_bisimilar() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let system = Labelled::random(8, 2, &mut rng);
            let copy = system.blurred(&mut rng);
            assert!(related(Strong, &system, &copy), "seed {seed}: {system:?} {copy:?}");
        }
    }

    /// Each relation is finer than the next in these chains (as in CADP's manual; `docs/papers.md`, erratum 9 of the 1991 paper).
    #[test]
    fn finer_relations_imply_coarser_ones() {
        let chains: [&[Relation]; 5] = [
            &[Strong, DivergenceBranching, Branching, Delay, Weak, WeakSimulation, WeakTrace],
            &[Delay, TauStarA, Safety, WeakTrace],
            &[Strong, ReadySimulation, Simulation, Trace],
            &[Trace, WeakTrace],
            &[Simulation, WeakSimulation, WeakTrace],
        ];
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let left = Labelled::random(6, 2, &mut rng);
            let right =
                if rng.below(2) == 0 { Labelled::random(6, 2, &mut rng) } else { left.blurred(&mut rng) };
            for chain in chains {
                for pair in chain.windows(2) {
                    assert!(
                        !related(pair[0], &left, &right) || related(pair[1], &left, &right),
                        "seed {seed}: {} but not {}: {left:?} {right:?}",
                        pair[0].name(),
                        pair[1].name()
                    );
                }
            }
        }
    }
}
