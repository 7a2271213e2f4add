//! Fewer states and edges by simulation, forwards and backwards.
//!
//! A state *t* imitates *s* if for every edge of *s* and every letter on it *t* has an edge with that letter, with at
//! least those marks, to a state that imitates the target; what *s* accepts, *t* accepts. States that imitate each other
//! become one, and an edge goes if the same source has, for its letters, an edge with at least its marks to a state that
//! imitates its target. This is *direct* simulation, here on generalised automata with marks on edges (Babiak, Badie,
//! Duret-Lutz, Křetínský, Strejček, SPIN 2013); *reverse* simulation is the same against the direction of the edges,
//! with the initial state as an additional demand (Somenzi and Bloem, CAV 2000).
//!
//! When states become one, the edges of one of them are enough: it imitates the others. For the reverse case the same
//! holds of the edges that enter, by König's lemma: every finite prefix of a run has an image that ends in the state
//! kept, with at least its marks at every position.
//!
//! Edges between components are never taken twice, so that their marks decide nothing; with no mark they are easily
//! imitated, with all marks they easily imitate. Neither choice is better, so both are tried in turn until nothing
//! changes.

use std::collections::BTreeMap;

use crate::bdd::{Bdd, Bdds};
use crate::effort::Out;
use crate::hash::Map;
use crate::scc::{Passing, prune, prune_states};
use crate::symbolic::{Arrow, Symbolic};

/// In larger automata only states with the same edges become one: the relation is a square table.
const MOST_STATES: usize = 4000;

/// How many edges are compared with what another state offers before a reduction ends with what it has: a second or so.
/// It is a count and not a time, so that the same formula always has the same automaton.
const MOST_COMPARISONS: u64 = 10_000_000;

/// What must stay true of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acceptance {
    /// Marks are a matter of edges.
    Edges,
    /// All edges that leave a state have the same marks, and must keep them.
    States,
}

/// Reduces until nothing changes. The automaton is pruned on the way.
///
/// # Errors
/// If time or memory runs out; what is left of the automaton then means nothing.
pub(crate) fn reduce(bdds: &mut Bdds, automaton: &mut Symbolic, acceptance: Acceptance) -> Result<(), Out> {
    join_alike(bdds, automaton)?;
    if automaton.states() > MOST_STATES {
        settle(bdds, automaton, acceptance, Passing::Unmarked);
        return bdds.spend(0);
    }
    let choices: &[Passing] = match acceptance {
        Acceptance::Edges => &[Passing::Unmarked, Passing::Marked],
        Acceptance::States => &[Passing::Unmarked],
    };
    let mut comparisons = MOST_COMPARISONS;
    loop {
        let before = automaton.size();
        for &passing in choices {
            settle(bdds, automaton, acceptance, passing);
            let done = direct(bdds, automaton, &mut comparisons);
            settle(bdds, automaton, acceptance, passing);
            if done.is_none() || reverse(bdds, automaton, acceptance, &mut comparisons).is_none() {
                comparisons = 0;
            }
            bdds.spend(0)?;
        }
        settle(bdds, automaton, acceptance, Passing::Unmarked);
        if automaton.size() == before || comparisons == 0 {
            return bdds.spend(0);
        }
    }
}

/// Makes states one that have the same edges, up to states that are one: the coarsest bisimulation, by refinement. It needs no table of pairs, so
/// that it may be used on any automaton, and before the simulations, which find these pairs as well but look at all others, too.
fn join_alike(bdds: &mut Bdds, automaton: &mut Symbolic) -> Result<(), Out> {
    let mut class = vec![0u32; automaton.states()];
    let mut count = 1;
    loop {
        type Key = (u32, Vec<(u32, u64, Bdd)>);
        let mut numbers: Map<Key, u32> = Map::default();
        let mut finer = Vec::with_capacity(class.len());
        for (s, arrows) in automaton.arrows.iter().enumerate() {
            let mut joined: BTreeMap<(u32, u64), Bdd> = BTreeMap::new();
            for arrow in arrows {
                let label = joined.entry((class[arrow.to as usize], arrow.marks)).or_insert(Bdd::FALSE);
                *label = bdds.or(*label, arrow.label);
            }
            bdds.spend(arrows.len() as u64)?;
            let row = joined.into_iter().map(|((to, marks), label)| (to, marks, label)).collect();
            let fresh = numbers.len() as u32;
            finer.push(*numbers.entry((class[s], row)).or_insert(fresh));
        }
        class = finer;
        if numbers.len() == count {
            break;
        }
        count = numbers.len();
    }
    if count < automaton.states() {
        let mut first = vec![u32::MAX; count];
        for (s, &c) in class.iter().enumerate().rev() {
            first[c as usize] = s as u32;
        }
        for arrow in automaton.arrows.iter_mut().flatten() {
            arrow.to = first[class[arrow.to as usize] as usize];
        }
        automaton.initial = first[class[automaton.initial as usize] as usize];
        automaton.join_arrows(bdds);
        automaton.compact();
    }
    bdds.spend(0)
}

fn settle(bdds: &mut Bdds, automaton: &mut Symbolic, acceptance: Acceptance, passing: Passing) {
    match acceptance {
        Acceptance::Edges => prune(bdds, automaton, passing),
        Acceptance::States => prune_states(bdds, automaton),
    }
}

/// A relation between states: row `s` says who imitates `s`.
struct Relation {
    size: usize,
    bits: Vec<bool>,
    /// By row: how often it has changed.
    version: Vec<u32>,
}

impl Relation {
    fn new(size: usize, related: impl Fn(usize, usize) -> bool) -> Self {
        let bits = (0..size * size).map(|i| related(i / size, i % size)).collect();
        Self { size, bits, version: vec![0; size] }
    }

    fn holds(&self, s: u32, t: u32) -> bool {
        self.bits[s as usize * self.size + t as usize]
    }

    /// Removes pairs until, for each pair that is left, every edge of the one is imitated by edges of the other. `None` if
    /// this takes too many comparisons; what is left then means nothing.
    fn refine(&mut self, bdds: &mut Bdds, arrows: &[Vec<Arrow>], comparisons: &mut u64) -> Option<()> {
        let mut offers = Offers::new();
        let mut changed = true;
        // What s must be able to do depends on the rows of its targets only: if none has changed, nothing has.
        let mut seen = vec![u64::MAX; self.size];
        while std::mem::take(&mut changed) {
            for s in 0..self.size {
                let now: u64 = arrows[s].iter().map(|a| u64::from(self.version[a.to as usize])).sum();
                if std::mem::replace(&mut seen[s], now) == now {
                    continue;
                }
                let related = self.bits[s * self.size..][..self.size].iter().filter(|&&bit| bit).count();
                *comparisons = comparisons.checked_sub((related * arrows[s].len()) as u64)?;
                bdds.spend(0).ok()?;
                for t in 0..self.size {
                    if s == t || !self.bits[s * self.size + t] {
                        continue;
                    }
                    let imitates = arrows[s].iter().all(|a| {
                        let offered = offers.find(bdds, self, &arrows[t], t, a);
                        bdds.implies(a.label, offered)
                    });
                    if !imitates {
                        self.bits[s * self.size + t] = false;
                        self.version[s] += 1;
                        changed = true;
                    }
                }
            }
        }
        Some(())
    }

    /// By state: the first of those that imitate it and that it imitates.
    fn representatives(&self) -> Vec<u32> {
        (0..self.size as u32)
            .map(|s| (0..=s).find(|&t| self.holds(s, t) && self.holds(t, s)).expect("imitates itself"))
            .collect()
    }
}

/// With which letters a state offers to imitate an edge with some marks to some state. Many states have an edge to the
/// same state with the same marks, so that the answers are kept until the relation changes for that state: without, a
/// refinement costs the square of the number of edges for each pair of states, and and-f 8 took 100 s instead of 1 s.
struct Offers(Map<(usize, u32, u64), (u32, Bdd)>);

impl Offers {
    fn new() -> Self {
        Self(Map::default())
    }

    fn find(&mut self, bdds: &mut Bdds, relation: &Relation, of: &[Arrow], t: usize, edge: &Arrow) -> Bdd {
        let version = relation.version[edge.to as usize];
        let entry = self.0.entry((t, edge.to, edge.marks)).or_insert((u32::MAX, Bdd::FALSE));
        if entry.0 != version {
            let mut letters = Bdd::FALSE;
            for b in of.iter().filter(|b| edge.marks & !b.marks == 0 && relation.holds(edge.to, b.to)) {
                letters = bdds.or(letters, b.label);
            }
            *entry = (version, letters);
        }
        entry.1
    }
}

/// Takes from each edge the letters that a better one has. The relation is antisymmetric on the ends that occur.
fn without_worse(bdds: &mut Bdds, relation: &Relation, arrows: &[Arrow]) -> Vec<Arrow> {
    let mut kept = Vec::with_capacity(arrows.len());
    for (i, a) in arrows.iter().enumerate() {
        let mut label = a.label;
        for (j, b) in arrows.iter().enumerate() {
            let same = a.to == b.to && a.marks == b.marks;
            if i != j && !same && a.marks & !b.marks == 0 && relation.holds(a.to, b.to) {
                label = bdds.without(label, b.label);
            }
        }
        if label != Bdd::FALSE {
            kept.push(Arrow { label, ..*a });
        }
    }
    kept
}

fn direct(bdds: &mut Bdds, automaton: &mut Symbolic, comparisons: &mut u64) -> Option<()> {
    let mut relation = Relation::new(automaton.states(), |_, _| true);
    relation.refine(bdds, &automaton.arrows, comparisons)?;
    let representative = relation.representatives();
    for arrows in &mut automaton.arrows {
        for arrow in arrows.iter_mut() {
            arrow.to = representative[arrow.to as usize];
        }
    }
    automaton.initial = representative[automaton.initial as usize];
    automaton.join_arrows(bdds);
    for s in 0..automaton.states() {
        automaton.arrows[s] = without_worse(bdds, &relation, &automaton.arrows[s]);
    }
    Some(())
}

fn reverse(
    bdds: &mut Bdds,
    automaton: &mut Symbolic,
    acceptance: Acceptance,
    comparisons: &mut u64,
) -> Option<()> {
    let entering = reversed(&automaton.arrows);
    let marks: Vec<u64> = automaton.arrows.iter().map(|a| a.first().map_or(0, |a| a.marks)).collect();
    let initial = automaton.initial as usize;
    let mut relation = Relation::new(automaton.states(), |s, t| {
        let marked = acceptance == Acceptance::Edges || marks[s] & !marks[t] == 0;
        marked && (s != initial || t == initial)
    });
    relation.refine(bdds, &entering, comparisons)?;
    let representative = relation.representatives();
    // Only what enters the state kept is needed; what leaves any of them leaves it now.
    let mut kept = vec![Vec::new(); automaton.states()];
    for (s, arrows) in entering.iter().enumerate().filter(|&(s, _)| representative[s] as usize == s) {
        let renamed: Vec<Arrow> =
            arrows.iter().map(|a| Arrow { to: representative[a.to as usize], ..*a }).collect();
        kept[s] = without_worse(bdds, &relation, &renamed);
    }
    automaton.arrows = reversed(&kept);
    automaton.initial = representative[initial];
    Some(())
}

/// The same edges, kept with their targets instead of their sources.
fn reversed(arrows: &[Vec<Arrow>]) -> Vec<Vec<Arrow>> {
    let mut entering = vec![Vec::new(); arrows.len()];
    for (s, leaving) in arrows.iter().enumerate() {
        for arrow in leaving {
            entering[arrow.to as usize].push(Arrow { to: s as u32, ..*arrow });
        }
    }
    entering
}
