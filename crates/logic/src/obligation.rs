//! The smallest deterministic weak automaton of a language that has one.
//!
//! The languages of obligations, Boolean combinations of safety and guarantee, are those of weak deterministic Büchi
//! automata, which have a unique smallest one that is found as for finite words: Dax, Eisinger, Klaedtke, *Mechanizing
//! the powerset construction for restricted classes of ω-automata*, ATVA 2007. Take the powerset of the states; call a
//! component of it accepting if the word of some cycle in it is; minimise (Löding 2001). If the language is an
//! obligation the result is right, and otherwise it is wrong, so that two products decide: the result must share no word
//! with the negated formula's automaton, nor its complement with the formula's. Nothing depends on how the formula was
//! written.

use std::collections::BTreeMap;

use crate::automaton::Letter;
use crate::bdd::{Bdd, Bdds};
use crate::hash::Map;
use crate::lasso::accepts_cycle;
use crate::product::symbolic_product;
use crate::scc::{Strength, symbolic_strength, tarjan};
use crate::symbolic::{Arrow, Symbolic};

/// A deterministic and complete automaton in which acceptance is a matter of the component.
pub(crate) struct Weak {
    /// By state: its edges, disjoint and covering every letter. Marks are not used.
    arrows: Vec<Vec<Arrow>>,
    /// By state: whether runs that stay in its component are accepted.
    accepting: Vec<bool>,
    /// Where runs begin.
    initial: u32,
}

impl Weak {
    /// As an automaton for its language, or for the complement. States without hope are still there.
    pub(crate) fn automaton(&self, complement: bool) -> Symbolic {
        let arrows = (self.arrows.iter().zip(&self.accepting))
            .map(|(arrows, &accepting)| {
                let marks = u64::from(accepting != complement);
                arrows.iter().map(|a| Arrow { marks, ..*a }).collect()
            })
            .collect();
        Symbolic { sets: 1, initial: self.initial, arrows }
    }

    /// Whether every cycle accepts except those from which nothing else can be reached: a safety language. With
    /// `complement`, the same of the complement: a guarantee.
    pub(crate) fn is_closed(&self, complement: bool) -> bool {
        let successors: Vec<Vec<u32>> =
            self.arrows.iter().map(|arrows| arrows.iter().map(|a| a.to).collect()).collect();
        let (of, _) = tarjan(&successors, [self.initial]);
        // A rejecting state is harmless if it has no cycle, or if nothing accepting can be reached from it; being
        // minimal, the automaton has one state of the latter kind, and all its edges are loops.
        (0..self.arrows.len()).filter(|&s| self.accepting[s] == complement).all(|s| {
            let trap = successors[s].iter().all(|&t| t as usize == s);
            let cyclic = successors[s].iter().any(|&t| of[t as usize] == of[s]);
            trap || !cyclic
        })
    }
}

/// The smallest deterministic weak automaton for the language of `automaton`, if there is one and if no more than
/// `most` states are needed on the way. `negation` accepts the complement of that language.
pub(crate) fn minimal(
    bdds: &mut Bdds,
    automaton: &Symbolic,
    negation: &Symbolic,
    most: usize,
) -> Option<Weak> {
    let (subsets, arrows) = powerset(bdds, automaton, most)?;
    let accepting = colours(bdds, &arrows, |state, cycle| {
        let step = |s: u32, letter: u64| {
            (automaton.arrows[s as usize].iter())
                .filter(|a| bdds.at(a.label, |v| letter >> v & 1 == 1))
                .map(|a| (a.to, a.marks))
                .collect()
        };
        let from = subsets[state as usize].iter().copied();
        accepts_cycle(automaton.states(), from, cycle, automaton.all(), step)
    });
    let weak = minimised(bdds, &arrows, &accepting);
    bdds.spend(0).ok()?;
    let mut empty = |a: &Symbolic, b: &Symbolic| {
        let product = symbolic_product(bdds, a, b, most.saturating_mul(100))?;
        (symbolic_strength(bdds, &product) == Strength::Empty).then_some(())
    };
    empty(&weak.automaton(false), negation)?;
    empty(&weak.automaton(true), automaton)?;
    Some(weak)
}

type Arrows = Vec<Vec<Arrow>>;

/// Sets of states, with the initial one first; the empty set is a state like any other, so that none lacks a letter.
fn powerset(bdds: &mut Bdds, automaton: &Symbolic, most: usize) -> Option<(Vec<Vec<u32>>, Arrows)> {
    let first = vec![automaton.initial];
    let mut numbers = Map::from_iter([(first.clone(), 0u32)]);
    let mut subsets = vec![first];
    let mut arrows: Arrows = Vec::new();
    while arrows.len() < subsets.len() {
        // Letters that lead to the same states, refined by one edge after the other.
        let mut parts: Vec<(Bdd, Vec<u32>)> = vec![(Bdd::TRUE, Vec::new())];
        let mut leaving: BTreeMap<u32, Bdd> = BTreeMap::new();
        for &s in &subsets[arrows.len()] {
            for arrow in &automaton.arrows[s as usize] {
                let label = leaving.entry(arrow.to).or_insert(Bdd::FALSE);
                *label = bdds.or(*label, arrow.label);
            }
        }
        for (to, label) in leaving {
            let mut finer = Vec::with_capacity(parts.len() + 1);
            for (letters, targets) in parts {
                let with = bdds.and(letters, label);
                let without = bdds.without(letters, label);
                if without != Bdd::FALSE {
                    finer.push((without, targets.clone()));
                }
                if with != Bdd::FALSE {
                    let mut targets = targets;
                    targets.push(to);
                    finer.push((with, targets));
                }
            }
            parts = finer;
            bdds.spend(parts.len() as u64).ok()?;
            if parts.len() > most {
                return None;
            }
        }
        let mut edges: BTreeMap<u32, Bdd> = BTreeMap::new();
        for (letters, targets) in parts {
            let to = *numbers.entry(targets).or_insert_with_key(|targets| {
                subsets.push(targets.clone());
                subsets.len() as u32 - 1
            });
            let label = edges.entry(to).or_insert(Bdd::FALSE);
            *label = bdds.or(*label, letters);
        }
        arrows.push(edges.into_iter().map(|(to, label)| Arrow { to, marks: 0, label }).collect());
        if subsets.len() > most {
            return None;
        }
    }
    Some((subsets, arrows))
}

/// By state: whether it accepts, such that the states that may become one agree (Löding's colours: a component
/// without a cycle, or one whose choice is free, takes the colour of what follows).
pub(crate) fn colours(
    bdds: &Bdds,
    arrows: &[Vec<Arrow>],
    accepts: impl Fn(u32, &[Letter]) -> bool,
) -> Vec<bool> {
    let successors: Vec<Vec<u32>> =
        arrows.iter().map(|arrows| arrows.iter().map(|a| a.to).collect()).collect();
    let (of, count) = tarjan(&successors, [0]);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (s, &component) in of.iter().enumerate() {
        members[component as usize].push(s as u32);
    }
    // Even colours accept. A component has the largest colour that is not above those of its successors and has the
    // right parity; numbers of successors are smaller, so theirs are known.
    let mut colour = vec![0u32; count];
    let top = 2 * count as u32 + 2;
    for (c, states) in members.iter().enumerate() {
        let next = (states.iter())
            .flat_map(|&s| &successors[s as usize])
            .map(|&t| of[t as usize] as usize)
            .filter(|&d| d != c)
            .map(|d| colour[d])
            .min();
        let cycle = cycle_in(bdds, arrows, &of, states[0]);
        let accepting = cycle.map(|word| accepts(states[0], &word));
        colour[c] = match (accepting, next) {
            (Some(accepting), None) => top + u32::from(!accepting),
            (Some(accepting), Some(next)) if (next % 2 == 0) == accepting => next,
            (Some(_), Some(next)) => next - 1,
            (None, next) => next.expect("a state of a complete automaton has a successor"),
        };
    }
    of.iter().map(|&component| colour[component as usize] % 2 == 0).collect()
}

/// The letters of a shortest cycle through a state, if there is one.
fn cycle_in(bdds: &Bdds, arrows: &[Vec<Arrow>], of: &[u32], start: u32) -> Option<Vec<u64>> {
    let mut came: Map<u32, (u32, u64)> = Map::default();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(s) = queue.pop_front() {
        for arrow in arrows[s as usize].iter().filter(|a| of[a.to as usize] == of[start as usize]) {
            let letter = bdds.some_letter(arrow.label);
            if arrow.to == start {
                let mut word = vec![letter];
                let mut at = s;
                while at != start {
                    let (before, letter) = came[&at];
                    word.push(letter);
                    at = before;
                }
                word.reverse();
                return Some(word);
            }
            came.entry(arrow.to).or_insert_with(|| {
                queue.push_back(arrow.to);
                (s, letter)
            });
        }
    }
    None
}

/// Moore's refinement: states are one if they accept alike and lead with every letter to states that are one.
pub(crate) fn minimised(bdds: &mut Bdds, arrows: &[Vec<Arrow>], accepting: &[bool]) -> Weak {
    let mut class: Vec<u32> = accepting.iter().map(|&a| u32::from(a)).collect();
    let mut count = 0;
    loop {
        let mut numbers: Map<(u32, Vec<(u32, Bdd)>), u32> = Map::default();
        let mut finer = Vec::with_capacity(class.len());
        for (s, leaving) in arrows.iter().enumerate() {
            // What ran out ends the refinement, too: operations return nonsense then, so that nothing is told apart for long.
            let by_class = joined(bdds, leaving, &class);
            let fresh = numbers.len() as u32;
            finer.push(*numbers.entry((class[s], by_class.into_iter().collect())).or_insert(fresh));
        }
        let classes = numbers.len();
        class = finer;
        if classes == count {
            break;
        }
        count = classes;
    }
    let mut weak = Weak { arrows: vec![Vec::new(); count], accepting: vec![false; count], initial: class[0] };
    for (s, leaving) in arrows.iter().enumerate() {
        let c = class[s] as usize;
        weak.accepting[c] = accepting[s];
        weak.arrows[c] = (joined(bdds, leaving, &class).into_iter())
            .map(|(to, label)| Arrow { to, marks: 0, label })
            .collect();
    }
    weak
}

fn joined(bdds: &mut Bdds, leaving: &[Arrow], class: &[u32]) -> BTreeMap<u32, Bdd> {
    let mut by_class: BTreeMap<u32, Bdd> = BTreeMap::new();
    for arrow in leaving {
        let label = by_class.entry(class[arrow.to as usize]).or_insert(Bdd::FALSE);
        *label = bdds.or(*label, arrow.label);
    }
    by_class
}
