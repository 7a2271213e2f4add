//! Traces, failures and divergences on random pairs against the definitions: both sides made deterministic beforehand, and
//! every refusal set looked at.

use super::plain::{Plain, TAU};
use super::random::random_pair;
#[cfg(test)]
use elnath_check::relation::refinement::{Counterexample, decides};
use elnath_check::relation::refinement::{Refinement, RefinementQuestion, Why, ask};
#[cfg(test)]
use elnath_kernel::Coverage;
#[cfg(test)]
use elnath_kernel::Limit;
use elnath_kernel::Verdict;
use elnath_kernel::relation::is_internal;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Budget, Direction, Relation, replay};
use std::collections::{BTreeSet, VecDeque};

use crate::campaigns::Part;
use crate::trial::{Trial, counts};

pub(in crate::campaigns) const PARTS: &[Part] = &[
    Part { name: "trace", meaning: "inclusion and equality of traces", run: traces },
    Part { name: "weak-trace", meaning: "the same without internal steps", run: weak_traces },
    Part { name: "failures", meaning: "failures refinement", run: failures },
    Part { name: "failures-divergences", meaning: "and with divergences", run: failures_and_divergences },
];

counts! {
    struct Pairs { related, not_related }
}

#[cfg(test)]
const RELATIONS: [Relation; 4] =
    [Relation::Trace, Relation::WeakTrace, Relation::Failures, Relation::FailuresDivergences];

fn refine(
    left: &Plain,
    right: &Plain,
    relation: Relation,
    direction: Direction,
    memory: usize,
) -> Refinement {
    let (left, right) = (left.lts(), right.lts());
    let question =
        RefinementQuestion { left: &left, right: &right, relation, direction, internal: &is_internal };
    let mut watch = |_: &_| None;
    let mut budget = Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    let answer = ask(&question, &mut budget).expect("it is decided here, and what is found is confirmed");
    if let Verdict::Fails(Ok(example)) = &answer.verdict {
        let mover = if example.mover == 0 { &left } else { &right };
        let run = replay(mover, &example.run).expect("the run is one");
        if let Why::Divergence { cycle } = &example.why {
            let longer = replay(mover, &[&example.run[..], cycle].concat()).expect("the cycle is a run");
            assert_eq!(longer.last(), run.last(), "it comes back");
        }
    }
    answer
}

type States = BTreeSet<usize>;

/// The definitions, in sets of states.
struct Naive<'a>(&'a Plain);

impl Naive<'_> {
    fn closed(&self, mut states: States) -> States {
        loop {
            let steps = states.iter().flat_map(|&state| &self.0.0[state]);
            let inside: States = steps.filter(|(label, _)| *label == TAU).map(|&(_, to)| to).collect();
            if inside.is_subset(&states) {
                return states;
            }
            states.extend(inside);
        }
    }

    fn after(&self, states: &States, label: u8, weak: bool) -> States {
        let steps = states.iter().flat_map(|&state| &self.0.0[state]);
        let next = steps.filter(|(l, _)| *l == label).map(|&(_, to)| to).collect();
        if weak { self.closed(next) } else { next }
    }

    /// Whether internal steps can go on for as long as there are states, and hence for ever.
    fn diverges(&self, state: usize) -> bool {
        let mut at = States::from([state]);
        for _ in 0..self.0.0.len() {
            at = self.after(&at, TAU, false);
        }
        !at.is_empty()
    }

    /// Whether a stable state refuses all of these labels, of which there is one bit each.
    fn refuses(&self, state: usize, refused: u32) -> bool {
        self.0.0[state].iter().all(|&(label, _)| label != TAU && refused & 1 << label == 0)
    }
}

/// The number of labels after which the left side does what the right side may not, at the earliest.
pub(in crate::campaigns) fn refuted_after(left: &Plain, right: &Plain, relation: Relation) -> Option<usize> {
    let labels = left.0.iter().chain(&right.0).flatten().map(|&(label, _)| label).max().unwrap_or(0);
    let (left, right) = (Naive(left), Naive(right));
    let weak = relation != Relation::Trace;
    let start = |side: &Naive<'_>| if weak { side.closed(States::from([0])) } else { States::from([0]) };
    let first = (start(&left), start(&right));
    let mut seen = BTreeSet::from([first.clone()]);
    let mut queue = VecDeque::from([(first, 0)]);
    // A label that is missing is seen one step later than a refusal would be.
    let mut missing = None;
    while let Some(((l, r), length)) = queue.pop_front() {
        if missing.is_some_and(|missing| missing <= length) {
            break;
        }
        if relation == Relation::FailuresDivergences {
            if r.iter().any(|&state| right.diverges(state)) {
                continue;
            }
            if l.iter().any(|&state| left.diverges(state)) {
                return Some(length);
            }
        }
        if matches!(relation, Relation::Failures | Relation::FailuresDivergences) {
            for refused in 0..1 << (labels + 1) {
                if l.iter().any(|&state| left.refuses(state, refused))
                    && !r.iter().any(|&state| right.refuses(state, refused))
                {
                    return Some(length);
                }
            }
        }
        for label in u8::from(weak)..=labels {
            let next = (left.after(&l, label, weak), right.after(&r, label, weak));
            if next.0.is_empty() {
                continue;
            }
            if next.1.is_empty() {
                missing.get_or_insert(length + 1);
            } else if seen.insert(next.clone()) {
                queue.push_back((next, length + 1));
            }
        }
    }
    missing
}

fn campaign(trial: &mut Trial<'_>, relation: Relation) {
    let pairs = trial.cases(0..2000, |case, pairs: &mut Pairs| {
        let seed = case.seed;
        let mut rng = Rng::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ relation as u64);
        let (left, right) = random_pair(&mut rng);
        let told = |what: &str| format!("{what}: {relation:?}, seed {seed}: {left:?} and {right:?}");
        let forth = refuted_after(&left, &right, relation);
        let back = refuted_after(&right, &left, relation);
        for direction in [Direction::Preorder, Direction::Equivalence] {
            let expected = forth.or(if direction == Direction::Equivalence { back } else { None });
            match refine(&left, &right, relation, direction, usize::MAX).verdict {
                Verdict::Holds(_) => {
                    pairs.related += 1;
                    assert!(expected.is_none(), "{}", told("accepted"));
                }
                Verdict::Fails(Ok(example)) => {
                    pairs.not_related += 1;
                    assert!(expected.is_some(), "{}", told("refuted"));
                    assert_eq!(example.mover, usize::from(forth.is_none()), "{}", told("mover"));
                    // Without internal steps to be left out, the shortest run has the shortest trace.
                    let length = Some(example.trace.len());
                    if relation == Relation::Trace {
                        assert_eq!(length, expected, "{}", told("not shortest"));
                    } else {
                        assert!(length >= expected, "{}", told("shorter than possible"));
                    }
                }
                Verdict::Unknown(limit) | Verdict::Fails(Err(limit)) => {
                    panic!("{limit:?}: {}", told("unknown"))
                }
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(pairs.related > asked / 5 && pairs.not_related > asked / 5, "pairs of both kinds");
}

fn traces(trial: &mut Trial<'_>) {
    campaign(trial, Relation::Trace);
}

fn weak_traces(trial: &mut Trial<'_>) {
    campaign(trial, Relation::WeakTrace);
}

fn failures(trial: &mut Trial<'_>) {
    campaign(trial, Relation::Failures);
}

fn failures_and_divergences(trial: &mut Trial<'_>) {
    campaign(trial, Relation::FailuresDivergences);
}

#[cfg(test)]
fn example(left: &str, right: &str, relation: Relation) -> Option<Counterexample> {
    let (left, right) = (Plain::new(left), Plain::new(right));
    match refine(&left, &right, relation, Direction::Preorder, usize::MAX).verdict {
        Verdict::Holds(_) => None,
        Verdict::Fails(Ok(example)) => Some(*example),
        Verdict::Fails(Err(limit)) => panic!("{limit:?}"),
        Verdict::Unknown(limit) => panic!("{limit:?}"),
    }
}

#[cfg(test)]
fn headline(left: &str, right: &str, relation: Relation) -> Option<String> {
    example(left, right, relation).map(|example| example.headline(["left", "right"]))
}

#[cfg(test)]
/// Which of the four relations hold, in the order of [`RELATIONS`].
fn which(left: &str, right: &str) -> [bool; 4] {
    RELATIONS.map(|relation| example(left, right, relation).is_none())
}

#[test]
fn what_each_relation_sees() {
    // The internal choice between a and b has the traces of the free one, and may refuse.
    let (free, inner) = ("0 a 1, 0 b 1", "0 tau 1, 0 tau 2, 1 a 3, 2 b 3");
    assert_eq!(which(inner, free), [false, true, false, false]);
    assert_eq!(which(free, inner), [false, true, true, true]);
    // Stopping after a, if the other may not stop there.
    assert_eq!(which("0 a 1", "0 a 1, 1 b 2"), [true, true, false, false]);
    // Being busy inside for ever, instead of stopping: only the last relation sees it, and it is no refusal.
    assert_eq!(which("0 a 1, 1 tau 1", "0 a 1"), [false, true, true, false]);
    // Stopping where the other is busy: a stable failure that the other does not have; but who diverges, may anything.
    assert_eq!(which("0 a 1", "0 a 1, 1 tau 1"), [true, true, false, true]);
    // After a divergence anything goes, labels that were never heard of included.
    assert_eq!(which("0 a 1, 1 c 2", "0 a 1, 1 tau 1, 1 b 1"), [false, false, false, true]);
    assert_eq!(which("", "0 tau 0"), [true, true, false, true]);
    assert_eq!(which("0 tau 0", ""), [false, true, true, false]);
}

#[test]
fn counterexamples_say_why() {
    let told = |left, right, relation| headline(left, right, relation).expect("they are not related");
    assert_eq!(
        told("0 a 1, 1 tau 2, 2 b 3", "0 a 1, 1 c 2", Relation::WeakTrace),
        "after a, left can do b, right cannot"
    );
    assert_eq!(told("0 b 1", "0 a 1", Relation::Trace), "at once, left can do b, right cannot");
    assert_eq!(
        told("0 a 1, 1 b 2", "0 a 1, 0 a 2, 1 b 3, 1 c 3, 2 d 3", Relation::Failures),
        "after a, left may offer only b, where right offers b, c; or d"
    );
    assert_eq!(
        told("0 a 1", "0 a 1, 1 tau 1", Relation::Failures),
        "after a, left may offer nothing, where right never stops there"
    );
    assert_eq!(
        told("0 a 1, 1 tau 2, 2 tau 1", "0 a 1", Relation::FailuresDivergences),
        "after a, left can be busy inside for ever, right cannot"
    );
    let example = example("0 a 1, 1 tau 2, 2 b 3", "0 a 1, 1 c 2", Relation::WeakTrace).expect("not related");
    assert_eq!(
        example.story(["left", "right"], 9),
        [
            "left does a, and so can right",
            "left does an internal step",
            "after a, left can do b, right cannot"
        ]
    );
    assert_eq!(example.labels, ["a", "i", "b"]);
}

#[cfg(test)]
/// The n-th letter from the end is an a: the deterministic automaton has 2^n states.
fn nth_from_the_end(n: usize) -> Plain {
    let mut text = "0 a 0, 0 b 0, 0 a 1".to_owned();
    for at in 1..n {
        text += &format!(", {at} a {0}, {at} b {0}", at + 1);
    }
    Plain::new(&text)
}

#[test]
fn sets_that_include_others_are_not_followed() {
    // Any word is a trace of the right side, whatever else its states can do: one set is enough, of 2^n.
    let (left, right) = (Plain::new("0 a 0, 0 b 0"), nth_from_the_end(20));
    let answer = refine(&left, &right, Relation::Trace, Direction::Preorder, 1 << 20);
    assert_eq!(answer.verdict, Verdict::Holds(Coverage::Exhaustive));
    assert!(answer.pairs < 5, "{} pairs", answer.pairs);
}

#[test]
fn running_out_of_memory_is_an_answer() {
    // The left side follows the choice of the right one, so that no set includes another.
    let (left, mut turned) = (nth_from_the_end(18), nth_from_the_end(18));
    turned.0.iter_mut().for_each(|edges| edges.reverse());
    let answer = refine(&left, &turned, Relation::Failures, Direction::Preorder, 1 << 16);
    assert_eq!(answer.verdict, Verdict::Unknown(Limit::Memory));
    assert!(answer.peak_bytes < 1 << 20, "{}", answer.peak_bytes);
}

#[test]
fn other_relations_are_decided_elsewhere() {
    for (_, relation) in Relation::NAMES {
        assert_eq!(decides(relation), RELATIONS.contains(&relation));
    }
}
