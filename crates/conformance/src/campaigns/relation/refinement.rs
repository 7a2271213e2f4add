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
    Part {
        name: "antichain",
        meaning: "with the antichain as without, by what is known only; up to eight independent components: pairs of both",
        run: antichain,
    },
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
    let question = RefinementQuestion {
        left: &left,
        right: &right,
        relation,
        direction,
        internal: &is_internal,
        antichain: true,
        apart: false,
    };
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

/// The same question with inclusion of sets and with equality only.
fn both_ways(left: &Plain, right: &Plain, relation: Relation, direction: Direction) -> [Refinement; 2] {
    let (left, right) = (left.lts(), right.lts());
    [true, false].map(|antichain| {
        let internal = &is_internal;
        let question = RefinementQuestion {
            left: &left,
            right: &right,
            relation,
            direction,
            internal,
            antichain,
            apart: false,
        };
        let mut budget =
            Budget { memory: 1 << 30, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut |_| None };
        ask(&question, &mut budget).expect("it is decided here, and what is found is confirmed")
    })
}

/// Components that do not meet: each goes on with a label of its own for ever, or stops after one of its steps.
fn independent(n: usize) -> Plain {
    let states = 1usize << n;
    let mut plain = Plain(vec![Vec::new(); states]);
    for (state, edges) in plain.0.iter_mut().enumerate() {
        for who in (0..n).filter(|who| state & 1 << who == 0) {
            let label = 1 + who as u8;
            edges.extend([(label, state), (label, state | 1 << who)]);
        }
    }
    plain
}

counts! {
    struct Antichains { pairs, pairs_without, of_components, of_components_without, related, not_related }
}

fn antichain(trial: &mut Trial<'_>) {
    let seen = trial.cases(0..2000, |case, seen: &mut Antichains| {
        let mut rng = Rng::new(case.seed ^ 0x616e_7469);
        let (left, right) = random_pair(&mut rng);
        let relation =
            [Relation::Trace, Relation::WeakTrace, Relation::Failures, Relation::FailuresDivergences]
                [case.seed as usize % 4];
        let direction = if case.seed / 4 % 2 == 0 { Direction::Preorder } else { Direction::Equivalence };
        let [with, without] = both_ways(&left, &right, relation, direction);
        let told = || format!("{relation:?}, {direction:?}, {left:?}, {right:?}");
        match (&with.verdict, &without.verdict) {
            (Verdict::Holds(_), Verdict::Holds(_)) => {
                seen.related += 1;
                assert!(with.explored.pairs <= without.explored.pairs, "{}", told());
            }
            // The pair that fails may be looked at in another place of its level.
            (Verdict::Fails(Ok(a)), Verdict::Fails(Ok(b))) => {
                seen.not_related += 1;
                assert_eq!(a.run.len(), b.run.len(), "not a shortest run; {}", told());
            }
            _ => panic!("different verdicts; {}", told()),
        }
        seen.pairs += with.explored.pairs;
        seen.pairs_without += without.explored.pairs;
        let n = 2 * (1 + case.seed as usize);
        if n <= 8 {
            let system = independent(n);
            // Bisimilar systems would be found to be so: another step that no trace shows.
            let mut other = system.clone();
            other.0.push(Vec::new());
            let last = other.0.len() - 1;
            other.0[0].push((1, last));
            let [with, without] = both_ways(&system, &other, Relation::Trace, Direction::Preorder);
            assert!(matches!((&with.verdict, &without.verdict), (Verdict::Holds(_), Verdict::Holds(_))));
            assert!(with.explored.pairs < without.explored.pairs, "{n} components");
            seen.of_components = seen.of_components.max(with.explored.pairs);
            seen.of_components_without = seen.of_components_without.max(without.explored.pairs);
        }
        Ok(())
    });
    trial.enough(seen.related > 50 && seen.not_related > 50 && seen.pairs < seen.pairs_without, "both kinds");
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

#[cfg(test)]
/// A counter of `n` bits, each a state of its own that only its letter changes: after different words the sets have different states, and as many.
/// Each state has a letter of its own, too, so that no state is like another.
fn bits_apart(n: usize) -> Plain {
    let label = |number: usize| number as u8 + 1;
    let mut edges = vec![(0..n).map(|bit| (label(n), 1 + 2 * bit)).collect::<Vec<_>>()];
    for state in 0..2 * n {
        let turned = |letter: usize| if letter == state / 2 { 1 + (state ^ 1) } else { 1 + state };
        let mut own: Vec<(u8, usize)> = (0..n).map(|letter| (label(letter), turned(letter))).collect();
        own.push((label(n + 1 + state), 0));
        edges.push(own);
    }
    Plain(edges)
}

#[test]
fn running_out_of_memory_is_an_answer() {
    const BITS: usize = 9;
    // Of the 2^9 sets none includes another.
    let loops = (0..BITS).map(|letter| (letter as u8 + 1, 1)).collect();
    let (left, right) = (Plain(vec![vec![(BITS as u8 + 1, 1)], loops]), bits_apart(BITS));
    let ample = refine(&left, &right, Relation::Trace, Direction::Preorder, 1 << 20);
    assert_eq!((ample.verdict, ample.pairs), (Verdict::Holds(Coverage::Exhaustive), 513));
    let answer = refine(&left, &right, Relation::Trace, Direction::Preorder, 1 << 14);
    assert_eq!(answer.verdict, Verdict::Unknown(Limit::Memory));
    assert!(answer.peak_bytes < 1 << 17, "{}", answer.peak_bytes);
}

#[test]
fn of_pairs_of_one_level_the_hardest_is_kept() {
    // A pair with a set of two states comes late in its level, and stands for all others: of 2^18 sets few are followed.
    let (left, mut turned) = (nth_from_the_end(18), nth_from_the_end(18));
    turned.0.iter_mut().for_each(|edges| edges.reverse());
    let answer = refine(&left, &turned, Relation::Failures, Direction::Preorder, 1 << 16);
    assert_eq!(answer.verdict, Verdict::Holds(Coverage::Exhaustive));
    assert!(answer.pairs < 500, "{} pairs", answer.pairs);
}

#[test]
fn other_relations_are_decided_elsewhere() {
    for (_, relation) in Relation::NAMES {
        assert_eq!(decides(relation), RELATIONS.contains(&relation));
    }
}
