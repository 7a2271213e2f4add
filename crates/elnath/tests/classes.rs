//! Two large graphs: pairs tell differences that are near, classes prove that there is none.

use elnath::Verdict;
use elnath::lts::{Builder, Lts};
use elnath::{Compare, Relation};
use elnath_kernel::rng::Rng;
use std::sync::Arc;

const STATES: u32 = 30_000;

/// A random graph; `copies` of each state with the same transitions, to any copy; `last`, a transition of the last state.
fn graph(copies: u32, last: &str) -> Arc<Lts> {
    let mut rng = Rng::new(7);
    let mut builder = Builder::new();
    for from in 0..STATES {
        let edges: Vec<(&str, u32)> = (0..3)
            .map(|_| (["a", "b", "i"][rng.below(3) as usize], rng.below(STATES.into()) as u32))
            .collect();
        for copy in 0..copies {
            builder.add(copies * from + copy, "next", copies * ((from + 1) % STATES));
            for (number, &(label, to)) in edges.iter().enumerate() {
                builder.add(copies * from + copy, label, copies * to + (copy + number as u32) % copies);
            }
        }
    }
    for copy in 0..copies {
        builder.add(copies * (STATES - 1) + copy, last, 0);
    }
    Arc::new(builder.finish(0))
}

fn engine(left: &Arc<Lts>, right: &Arc<Lts>, relation: Relation) -> (&'static str, bool) {
    let compared = Compare::systems(Arc::clone(left) as _, Arc::clone(right) as _)
        .explicit(Arc::clone(left), Arc::clone(right))
        .relation(relation)
        .run()
        .unwrap();
    let related = match compared.verdict() {
        Verdict::Holds(_) => true,
        Verdict::Fails(_) => false,
        _ => panic!("nothing ran out"),
    };
    (compared.first().figures.decided.engine, related)
}

#[test]
fn classes_decide_where_pairs_do_not_end() {
    let (one, two) = (graph(1, "last"), graph(2, "last"));
    for relation in [Relation::Strong, Relation::DivergenceBranching] {
        assert_eq!(engine(&one, &two, relation), ("classes", true), "{relation:?}");
    }
}

#[test]
fn a_difference_is_told_by_pairs() {
    let (one, other) = (graph(1, "last"), graph(1, "first"));
    let (engine, related) = engine(&one, &other, Relation::Strong);
    assert!(!related && engine != "classes", "{engine}");
}

/// So many different labels that whatever is quadratic in them, or slow, is noticed: one state with all of them, and a chain
/// in which each is met once; the same graph with its labels in another order; and others that differ in the last label, or
/// in all.
#[test]
fn hundreds_of_thousands_of_labels() {
    const LABELS: u32 = 200_000;
    let star = |name: &dyn Fn(u32) -> String, labels: &mut dyn Iterator<Item = u32>| {
        let mut builder = Builder::new();
        labels.for_each(|label| builder.add(0, &name(label), 0));
        Arc::new(builder.finish(0))
    };
    let chain = |name: &dyn Fn(u32) -> String| {
        let mut builder = Builder::new();
        (0..LABELS).for_each(|label| builder.add(label, &name(label), label + 1));
        Arc::new(builder.finish(0))
    };
    let plain = |label: u32| format!("SEND !{label}");
    let other = |label: u32| format!("RECEIVE !{label}");
    let last = |label: u32| if label == LABELS - 1 { "END".to_owned() } else { plain(label) };
    let one = star(&plain, &mut (0..LABELS));
    let cases = [
        (&one, star(&plain, &mut (0..LABELS).rev()), true),
        (&one, star(&last, &mut (0..LABELS)), false),
        (&one, star(&other, &mut (0..LABELS)), false),
        (&chain(&plain), chain(&plain), true),
        (&chain(&plain), chain(&last), false),
        (&chain(&plain), chain(&other), false),
    ];
    for (number, (left, right, expected)) in cases.iter().enumerate() {
        let (engine, related) = engine(left, right, Relation::Strong);
        assert_eq!(related, *expected, "case {number}, {engine}");
    }
    // A difference that travels the whole chain backwards.
    let (_, related) = engine(&chain(&plain), &chain(&last), Relation::Weak);
    assert!(!related);
}
