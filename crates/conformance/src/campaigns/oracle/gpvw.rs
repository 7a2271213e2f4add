//! The tableau of Gerth, Peled, Vardi and Wolper, PSTV 1995, as printed: explicit sets of formulas, no diagrams, no
//! promises, no reduction. It shares nothing with the translation but the type of the result.

use std::collections::BTreeSet;

use elnath_logic::automaton::{Cube, Edge, Label, Marks, State};
use elnath_logic::formula::Node;
use elnath_logic::{Automaton, Formulas, Id};

struct Place {
    incoming: BTreeSet<usize>,
    old: BTreeSet<Id>,
    next: BTreeSet<Id>,
}

/// The automaton of `f` over the propositions with these numbers; `None` if it has more than `most` states.
pub(crate) fn translate(
    formulas: &mut Formulas,
    f: Id,
    propositions: &[u32],
    most: usize,
) -> Option<Automaton> {
    let f = formulas.infinite(f);
    let mut places: Vec<Place> = Vec::new();
    // Node 0 is the beginning; places are numbered from 1.
    let mut todo = vec![(BTreeSet::from([0]), BTreeSet::from([f]), BTreeSet::new(), BTreeSet::new())];
    while let Some((incoming, mut new, mut old, mut next)) = todo.pop() {
        let Some(g) = new.pop_first() else {
            if let Some(place) = places.iter_mut().find(|p| p.old == old && p.next == next) {
                place.incoming.extend(incoming);
                continue;
            }
            todo.push((BTreeSet::from([places.len() + 1]), next.clone(), BTreeSet::new(), BTreeSet::new()));
            places.push(Place { incoming, old, next });
            if places.len() > most {
                return None;
            }
            continue;
        };
        if !old.insert(g) {
            todo.push((incoming, new, old, next));
            continue;
        }
        match formulas.node(g).clone() {
            Node::False => {}
            Node::True => todo.push((incoming, new, old, next)),
            Node::Proposition(_) | Node::Not(_) => {
                let opposite = formulas.not(g);
                if !old.contains(&opposite) {
                    todo.push((incoming, new, old, next));
                }
            }
            Node::And(parts) => {
                new.extend(parts.iter().copied());
                todo.push((incoming, new, old, next));
            }
            Node::Next(h) => {
                next.insert(h);
                todo.push((incoming, new, old, next));
            }
            Node::Or(parts) => {
                for &part in parts.iter() {
                    let mut new = new.clone();
                    new.insert(part);
                    todo.push((incoming.clone(), new, old.clone(), next.clone()));
                }
            }
            // Now what ends it, or what keeps it up, and the same again.
            Node::Eventually(b) => branch(&mut todo, g, (incoming, new, old, next), &[b], &[]),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                branch(&mut todo, g, (incoming, new, old, next), &[b], &[a]);
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                branch(&mut todo, g, (incoming, new, old, next), &[a, b], &[b]);
            }
            Node::Always(b) => {
                new.insert(b);
                next.insert(g);
                todo.push((incoming, new, old, next));
            }
            other => unreachable!("{other:?} is no operator of the core"),
        }
    }
    Some(automaton(formulas, f, &places, propositions))
}

type Node4 = (BTreeSet<usize>, BTreeSet<Id>, BTreeSet<Id>, BTreeSet<Id>);

fn branch(todo: &mut Vec<Node4>, g: Id, node: Node4, ends: &[Id], keeps: &[Id]) {
    let (incoming, new, old, next) = node;
    let with = |set: &BTreeSet<Id>, more: &[Id]| set.iter().chain(more).copied().collect::<BTreeSet<Id>>();
    todo.push((incoming.clone(), with(&new, ends), old.clone(), next.clone()));
    todo.push((incoming, with(&new, keeps), old, with(&next, &[g])));
}

fn automaton(formulas: &Formulas, f: Id, places: &[Place], propositions: &[u32]) -> Automaton {
    let untils: Vec<(Id, Id)> = (formulas.subformulas(f).into_iter())
        .filter_map(|g| match *formulas.node(g) {
            Node::Until(_, h) | Node::Eventually(h) | Node::StrongRelease(h, _) => Some((g, h)),
            _ => None,
        })
        .collect();
    let mut edges = vec![Vec::new(); places.len() + 1];
    for (i, place) in places.iter().enumerate() {
        let mut cube = Cube::TRUE;
        let bit =
            |number: u32| 1 << propositions.iter().position(|&p| p == number).expect("a proposition of f");
        for &g in &place.old {
            match *formulas.node(g) {
                Node::Proposition(p) => cube.with |= bit(p),
                Node::Not(h) => match *formulas.node(h) {
                    Node::Proposition(p) => cube.without |= bit(p),
                    _ => unreachable!("negations are on propositions"),
                },
                _ => {}
            }
        }
        let marks = (untils.iter().enumerate())
            .filter(|(_, (until, right))| !place.old.contains(until) || place.old.contains(right))
            .fold(0, |marks, (k, _)| marks | 1 << k);
        for &from in &place.incoming {
            edges[from].push(Edge { label: Label(vec![cube]), marks: Marks(marks), to: State(i as u32 + 1) });
        }
    }
    let names = propositions.iter().map(|&p| formulas.atoms()[p as usize].name()).collect();
    Automaton { propositions: names, sets: untils.len() as u32, initial: State(0), edges }
}
