//! From many acceptance sets on edges to one on states: the classical Büchi automaton.
//!
//! A state becomes one copy for each *level*, the number of sets that were met in turn since the last time all were;
//! the copies at the highest level accept, and count from zero again. Choueka's construction, section 5 of the 1992
//! paper, on edges instead of states: an edge that belongs to several of the next sets climbs several levels at once.
//!
//! A mark that all edges into a state have may as well be on all edges out of it, and the reverse, as far as they stay in
//! the component: no cycle can tell. So marks are spread that way first, and what all edges out of a state share is then
//! counted on arrival. `G(p -> F q)`, for one, needs no copies then: it was a matter of states all along.
//!
//! What keeps it small otherwise: levels are only of use inside a component that needs them. On entering another component the
//! level is chosen anew, and one at which the target already has a copy is as good as any other; components that accept
//! always live at the highest level, those that never do at the lowest. The order of the sets matters, too; there is no
//! good rule, so all orders are tried while they are few.

use std::collections::HashMap;

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::scc::{Components, Passing, prune, prune_states, share_sets};
use crate::simulation::{Acceptance, reduce};
use crate::symbolic::{Arrow, Symbolic};

/// All orders are tried of at most this many sets.
const MOST_PERMUTED: u32 = 4;

/// A Büchi automaton with the same language: one acceptance set, and the edges that leave a state either all belong to
/// it or none does.
#[doc(alias = "degeneralize")]
pub fn degeneralise(automaton: &Automaton) -> Automaton {
    let mut bdds = Bdds::new();
    let mut symbolic = Symbolic::from_automaton(&mut bdds, automaton);
    prune(&mut bdds, &mut symbolic, Passing::Unmarked);
    share_sets(&mut symbolic);
    let mut best: Option<Symbolic> = None;
    let arriving = counted_on_arrival(&symbolic);
    for (automaton, order) in [&symbolic, &arriving]
        .into_iter()
        .flat_map(|automaton| orders(automaton.sets).into_iter().map(move |order| (automaton, order)))
    {
        let mut candidate = with_levels(automaton, &order);
        prune_states(&mut bdds, &mut candidate);
        reduce(&mut bdds, &mut candidate, Acceptance::States).expect("nothing runs out without limits");
        if best.as_ref().is_none_or(|best| candidate.size() < best.size()) {
            best = Some(candidate);
        }
    }
    let best = best.expect("there is one order at least");
    best.to_automaton(&mut bdds, automaton.propositions.clone())
}

/// The states that accept, of an automaton in which this is a matter of states: one set, and no state with edges of
/// both kinds. `None` for any other automaton. A state without edges does not accept.
pub fn accepting_states(automaton: &Automaton) -> Option<Vec<bool>> {
    if automaton.sets != 1 {
        return None;
    }
    automaton
        .edges
        .iter()
        .map(|edges| {
            let marked = edges.first().is_some_and(|edge| edge.marks.0 == 1);
            edges.iter().all(|edge| (edge.marks.0 == 1) == marked).then_some(marked)
        })
        .collect()
}

fn orders(sets: u32) -> Vec<Vec<u32>> {
    let identity: Vec<u32> = (0..sets).collect();
    if sets > MOST_PERMUTED {
        let mut orders: Vec<Vec<u32>> = (0..sets as usize)
            .map(|k| {
                let mut rotated = identity.clone();
                rotated.rotate_left(k);
                rotated
            })
            .collect();
        orders.push(identity.into_iter().rev().collect());
        return orders;
    }
    let mut orders = vec![Vec::new()];
    for set in identity {
        // Each order so far, with the next set at each place.
        orders = (orders.iter())
            .flat_map(|order: &Vec<u32>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, set);
                    longer
                })
            })
            .collect();
    }
    orders
}

/// By state: the marks that all edges share which enter it, and those which leave it, inside its component.
fn shared(automaton: &Symbolic, components: &Components) -> (Vec<u64>, Vec<u64>) {
    let mut entering = vec![automaton.all(); automaton.states()];
    let mut leaving = entering.clone();
    for (s, arrows) in automaton.arrows.iter().enumerate() {
        for arrow in arrows.iter().filter(|a| components.of[a.to as usize] == components.of[s]) {
            entering[arrow.to as usize] &= arrow.marks;
            leaving[s] &= arrow.marks;
        }
    }
    (entering, leaving)
}

/// The same language with marks spread as the header says, and counted on the edge before where they can be.
fn counted_on_arrival(automaton: &Symbolic) -> Symbolic {
    let components = Components::new(automaton);
    let mut spread = automaton.clone();
    loop {
        let (entering, leaving) = shared(&spread, &components);
        let mut changed = false;
        for (s, arrows) in spread.arrows.iter_mut().enumerate() {
            for arrow in arrows.iter_mut().filter(|a| components.of[a.to as usize] == components.of[s]) {
                let marks = arrow.marks | entering[s] | leaving[arrow.to as usize];
                changed |= marks != arrow.marks;
                arrow.marks = marks;
            }
        }
        if !changed {
            break;
        }
    }
    let (_, leaving) = shared(&spread, &components);
    for (s, arrows) in spread.arrows.iter_mut().enumerate() {
        for arrow in arrows.iter_mut().filter(|a| components.of[a.to as usize] == components.of[s]) {
            arrow.marks = arrow.marks & !leaving[s] | leaving[arrow.to as usize];
        }
    }
    spread
}

fn with_levels(automaton: &Symbolic, order: &[u32]) -> Symbolic {
    let components = Components::new(automaton);
    let (entering, _) = shared(automaton, &components);
    let top = order.len() as u32;
    let mut copies: HashMap<(u32, u32), u32> = HashMap::new();
    // By state: the level of its first copy.
    let mut first: HashMap<u32, u32> = HashMap::new();
    let mut places: Vec<(u32, u32)> = Vec::new();
    let enter = |state: u32, first: &HashMap<u32, u32>| {
        let component = components.of[state as usize] as usize;
        let level = match (components.accepting[component], components.weak[component]) {
            (true, true) => top,
            (true, false) => climbed(0, entering[state as usize], order),
            _ => 0,
        };
        *first.get(&state).unwrap_or(&level)
    };
    let mut copy = |state: u32, level: u32, places: &mut Vec<(u32, u32)>, first: &mut HashMap<u32, u32>| {
        first.entry(state).or_insert(level);
        *copies.entry((state, level)).or_insert_with(|| {
            places.push((state, level));
            places.len() as u32 - 1
        })
    };
    let level = enter(automaton.initial, &first);
    copy(automaton.initial, level, &mut places, &mut first);
    let mut arrows: Vec<Vec<Arrow>> = Vec::new();
    while arrows.len() < places.len() {
        let (state, level) = places[arrows.len()];
        let here = components.of[state as usize];
        let marks = u64::from(level == top);
        let mut leaving = Vec::new();
        for arrow in &automaton.arrows[state as usize] {
            let target = components.of[arrow.to as usize];
            let next = if target != here {
                enter(arrow.to, &first)
            } else if !components.accepting[here as usize] {
                0
            } else {
                climbed(if level == top { 0 } else { level }, arrow.marks, order)
            };
            let to = copy(arrow.to, next, &mut places, &mut first);
            leaving.push(Arrow { to, marks, label: arrow.label });
        }
        arrows.push(leaving);
    }
    Symbolic { sets: 1, initial: 0, arrows }
}

/// The level after an edge with these marks.
fn climbed(mut level: u32, marks: u64, order: &[u32]) -> u32 {
    while order.get(level as usize).is_some_and(|&set| marks >> set & 1 == 1) {
        level += 1;
    }
    level
}
