//! The intersection of two automata: a run of the product is a run of both, and meets the sets of both.

use crate::automaton::{Automaton, MOST_PROPOSITIONS, MOST_SETS};
use crate::bdd::{Bdd, Bdds};
use crate::hash::Map;
use crate::scc::{Strength, symbolic_strength};
use crate::symbolic::{Arrow, Symbolic};

/// The automaton that accepts what both accept. Propositions are matched by name; `None` if there are too many of them,
/// or too many acceptance sets, for one automaton.
pub fn intersection(one: &Automaton, other: &Automaton) -> Option<Automaton> {
    let mut bdds = Bdds::new();
    let (propositions, a, b) = aligned(&mut bdds, one, other)?;
    let product = symbolic_product(&mut bdds, &a, &b, usize::MAX)?;
    Some(product.to_automaton(&mut bdds, propositions))
}

/// Whether no word is accepted by both; `None` as for [`intersection`].
pub fn disjoint(one: &Automaton, other: &Automaton) -> Option<bool> {
    let mut bdds = Bdds::new();
    let (_, a, b) = aligned(&mut bdds, one, other)?;
    let product = symbolic_product(&mut bdds, &a, &b, usize::MAX)?;
    Some(symbolic_strength(&mut bdds, &product) == Strength::Empty)
}

fn aligned(bdds: &mut Bdds, one: &Automaton, other: &Automaton) -> Option<(Vec<String>, Symbolic, Symbolic)> {
    let mut propositions = one.propositions.clone();
    let mut variables = Vec::new();
    for name in &other.propositions {
        let known = propositions.iter().position(|p| p == name);
        variables.push(known.unwrap_or(propositions.len()) as u32);
        if known.is_none() {
            propositions.push(name.clone());
        }
    }
    if propositions.len() > MOST_PROPOSITIONS || one.sets + other.sets > MOST_SETS {
        return None;
    }
    let a = Symbolic::from_automaton(bdds, one);
    let b = Symbolic::from_renamed(bdds, other, &variables);
    Some((propositions, a, b))
}

/// The product of what can be reached, unless it has more than `most` states or too many sets.
pub(crate) fn symbolic_product(bdds: &mut Bdds, a: &Symbolic, b: &Symbolic, most: usize) -> Option<Symbolic> {
    if a.sets + b.sets > MOST_SETS {
        return None;
    }
    let mut numbers = Map::from_iter([((a.initial, b.initial), 0u32)]);
    let mut pairs = vec![(a.initial, b.initial)];
    let mut arrows = Vec::new();
    while arrows.len() < pairs.len() {
        let (s, t) = pairs[arrows.len()];
        let mut leaving = Vec::new();
        for x in &a.arrows[s as usize] {
            for y in &b.arrows[t as usize] {
                let label = bdds.and(x.label, y.label);
                if label == Bdd::FALSE {
                    continue;
                }
                let to = *numbers.entry((x.to, y.to)).or_insert_with(|| {
                    pairs.push((x.to, y.to));
                    pairs.len() as u32 - 1
                });
                // A shift by 64 happens only if the other has no sets at all.
                let shifted = y.marks.checked_shl(a.sets).unwrap_or(0);
                leaving.push(Arrow { to, marks: x.marks | shifted, label });
            }
        }
        bdds.spend(leaving.len() as u64).ok()?;
        arrows.push(leaving);
        if pairs.len() > most {
            return None;
        }
    }
    Some(Symbolic { sets: a.sets + b.sets, initial: 0, arrows })
}
