//! Comparisons that stay small: philosophers and random graphs with one transition changed.
//!
//! Two graphs that differ in one transition are the hardest for a game on the fly: nearly everything is related, and what is
//! not is far from the initial states. Every comparison, diagnosis included, must stay within an amount of work and memory, and say what quotients
//! say; and where a diagnosis is said to be as shallow as possible, a naive search over all pairs must find none that is shallower.

use super::oracle::{least_depth, refuted_in};
use super::plain::{Plain, TAU};
use super::told;
use elnath_check::relation::folded::{self, Folded};
use elnath_check::relation::{
    Comparison, Difference, PairOrder, PairStore, RelationEngine, RelationQuestion, ask,
};
use elnath_kernel::relation::is_internal;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Budget, Direction, Limit, Relation, Verdict};
use elnath_lts::{Lts, quotient};

use crate::campaigns::Part;
use crate::trial::{Counts, Trial, counts};

pub(in crate::campaigns) const PARTS: &[Part] = &[
    Part {
        name: "philosophers",
        meaning: "2 to 8 philosophers, one transition changed: all relations within bounds",
        run: philosophers,
    },
    Part {
        name: "mutants",
        meaning: "random graphs of up to 20,000 states with one transition changed, by all relations, against quotients",
        run: mutants,
    },
    Part {
        name: "limits",
        meaning: "a limit reached in any phase changes no verdict but to unknown",
        run: limits,
    },
    Part {
        name: "tight",
        meaning: "memory that is nearly enough, in steps of an eighth: engines go on with what another one has left",
        run: tight,
    },
    Part {
        name: "depth",
        meaning: "diagnoses from classes are as shallow as any, by a naive search",
        run: depth,
    },
];

/// The memory of a comparison.
const MEMORY: usize = 200 << 20;
/// How often a comparison may ask whether to go on: each time it has looked at 2^16 transitions or candidates, or at 2^10 pairs. It takes
/// about two seconds. Traces of systems that are not bisimilar take the sets of states that there are.
const PATIENCE: u64 = 4_000;

impl Plain {
    /// Philosophers around a table: takes the left fork, the right one (internal steps), eats (a label of its own), puts both
    /// down (an internal step). All may hold their left fork, and nobody goes on.
    pub(super) fn philosophers(n: usize) -> Self {
        let mut states = vec![vec![0u8; n]];
        let mut edges = Vec::new();
        while let Some(state) = states.get(edges.len()).cloned() {
            let mut leaving = Vec::new();
            for who in 0..n {
                let (before, after) = ((who + n - 1) % n, (who + 1) % n);
                let (label, next) = match state[who] {
                    // The fork at the left is the right one of whoever sits before.
                    0 if state[before] < 2 => (TAU, 1),
                    1 if state[after] == 0 => (TAU, 2),
                    2 => (1 + who as u8, 3),
                    3 => (TAU, 0),
                    _ => continue,
                };
                let mut to = state.clone();
                to[who] = next;
                let number = states.iter().position(|known| *known == to).unwrap_or_else(|| {
                    states.push(to);
                    states.len() - 1
                });
                leaving.push((label, number));
            }
            edges.push(leaving);
        }
        Plain(edges)
    }

    /// With one transition turned aside, taken away or given another label.
    fn with_one_changed(&self, rng: &mut Rng) -> Self {
        let mut new = self.clone();
        let (states, mut at) = (new.0.len() as u64, rng.below(self.0.len() as u64) as usize);
        while new.0[at].is_empty() {
            at = (at + 1) % self.0.len();
        }
        let edge = rng.below(new.0[at].len() as u64) as usize;
        match rng.below(3) {
            0 => new.0[at][edge].1 = rng.below(states) as usize,
            1 => drop(new.0[at].swap_remove(edge)),
            _ => {
                let others = new.0.iter().flatten().map(|&(label, _)| label).max().unwrap_or(1);
                new.0[at][edge].0 = rng.below(u64::from(others) + 1) as u8;
            }
        }
        new
    }

    /// The same graph, its states in another order; the initial one stays.
    fn renumbered(&self, rng: &mut Rng) -> Self {
        let mut number: Vec<usize> = (0..self.0.len()).collect();
        for at in (2..number.len()).rev() {
            number.swap(at, 1 + rng.below(at as u64) as usize);
        }
        let mut new = Plain(vec![Vec::new(); self.0.len()]);
        for (from, edges) in self.0.iter().enumerate() {
            new.0[number[from]] = edges.iter().map(|&(label, to)| (label, number[to])).collect();
        }
        new
    }

    /// A connected graph whose edges mostly lead a little further, so that differences may be far away.
    fn long(rng: &mut Rng, states: usize) -> Self {
        let labels = 2 + rng.below(3);
        let mut new = Plain(vec![Vec::new(); states]);
        for state in 0..states {
            for _ in 0..1 + rng.below(3) {
                let to = if rng.below(8) == 0 { rng.below(states as u64) as usize } else { state + 1 };
                let edge = (rng.below(labels) as u8, to % states);
                new.0[state].push(edge);
            }
        }
        new
    }
}

/// Compares within the bounds.
fn within_bounds(left: &Lts, right: &Lts, relation: Relation, engine: RelationEngine) -> Comparison {
    let patience = if relation == Relation::Trace { 16 * PATIENCE } else { PATIENCE };
    within(left, right, relation, engine, MEMORY, patience)
}

fn within(
    left: &Lts,
    right: &Lts,
    relation: Relation,
    engine: RelationEngine,
    memory: usize,
    patience: u64,
) -> Comparison {
    let question = question(left, right, relation, engine);
    let mut asked = 0;
    let mut watch = |_: &_| {
        asked += 1;
        (asked > patience).then_some(Limit::Time)
    };
    let mut budget = Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    ask(&question, &mut budget).unwrap_or_else(|why| panic!("{relation:?}: {why}"))
}

fn question<'a>(
    left: &'a Lts,
    right: &'a Lts,
    relation: Relation,
    engine: RelationEngine,
) -> RelationQuestion<'a> {
    RelationQuestion {
        left,
        right,
        relation,
        direction: Direction::Equivalence,
        engine,
        order: PairOrder::default(),
        shortest: false,
        store: PairStore::Exact,
        patience: None,
        internal: &is_internal,
    }
}

fn unlimited(budget: impl FnOnce(&mut Budget<'_>)) {
    budget(&mut Budget {
        memory: MEMORY,
        depth: usize::MAX,
        states: u64::MAX,
        disk: None,
        watch: &mut |_| None,
    });
}

/// Compares by the quotients of both, as `elnath compare` does with large graphs.
fn by_folding(left: &Lts, right: &Lts, relation: Relation) -> Comparison {
    let finer = if relation == Relation::Delay { Relation::Branching } else { relation };
    let mut comparison = None;
    unlimited(|budget| {
        let [(small_left, left_classes), (small_right, right_classes)] = [left, right].map(|graph| {
            let quotient = quotient::reduce(graph, finer, budget).expect("there is room");
            (quotient.lts, quotient.classes.expect("bisimulations have classes"))
        });
        let class = |side: usize, state: &[u8], out: &mut Vec<u8>| {
            let class = [&left_classes, &right_classes][side][Lts::number_of(state) as usize];
            out.clear();
            out.extend_from_slice(&class.to_le_bytes());
        };
        let folded = Folded { systems: [&small_left, &small_right], class: &class };
        let question = question(left, right, relation, RelationEngine::Auto);
        comparison = folded::ask(&question, &folded, budget).ok();
    });
    comparison.unwrap_or_else(|| panic!("{relation:?}: what is found is confirmed"))
}

/// Whether the systems are equivalent; fails if that, or why they are not, was not found out.
fn verdict(comparison: &Comparison, told: &str) -> bool {
    match &comparison.verdict {
        Verdict::Holds(_) => true,
        Verdict::Fails(Difference::Untold(limit)) => panic!("no diagnosis, {limit:?}: {told}"),
        Verdict::Fails(_) => false,
        Verdict::Unknown(limit) => panic!("{limit:?}: {told}"),
    }
}

/// What quotients say, where they are not too large.
fn by_quotients(left: &Lts, right: &Lts, relation: Relation) -> Option<bool> {
    let mut same = None;
    unlimited(|budget| same = quotients_are_same(left, right, relation, budget));
    same
}

fn quotients_are_same(left: &Lts, right: &Lts, relation: Relation, budget: &mut Budget<'_>) -> Option<bool> {
    if quotient::BISIMULATIONS.contains(&relation) {
        return quotient::equivalent(left, right, relation, budget).ok();
    }
    // The smallest equivalent systems are the same but for the numbers of their states.
    let left = quotient::reduce(left, relation, budget).ok()?.lts;
    let right = quotient::reduce(right, relation, budget).ok()?.lts;
    quotient::equivalent(&left, &right, Relation::Strong, budget).ok()
}

counts! {
    struct Seen { related, not_related, by_quotients, by_definition, told }
}

/// The same, and by relation how many verdicts there were and how many were given up.
#[derive(Debug, Default)]
struct Counted {
    seen: Seen,
    verdicts: [u64; Relation::NAMES.len()],
    given_up: [u64; Relation::NAMES.len()],
}

impl Counts for Counted {
    fn add(&mut self, other: &Self) {
        self.seen.add(&other.seen);
        let ours = self.verdicts.iter_mut().chain(&mut self.given_up);
        ours.zip(other.verdicts.iter().chain(&other.given_up)).for_each(|(ours, theirs)| *ours += theirs);
    }

    fn list(&self) -> Vec<(&'static str, u64)> {
        let verdicts = Relation::NAMES.iter().zip(self.verdicts).map(|(&(name, _), count)| (name, count));
        let given_up = Relation::NAMES.iter().zip(self.given_up).filter(|&(_, count)| count > 0);
        let given_up = given_up.flat_map(|(&(name, _), count)| [("given up by", 0), (name, count)]);
        self.seen.list().into_iter().chain(verdicts).chain(given_up).collect()
    }
}

fn philosophers(trial: &mut Trial<'_>) {
    let seen = trial.cases(0..28, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed ^ 0x7068_696c);
        let n = 2 + (case.seed % 7) as usize;
        let left = Plain::philosophers(n);
        let right = left.renumbered(&mut rng);
        let right = if case.seed / 7 % 4 == 0 { right } else { right.with_one_changed(&mut rng) };
        let (left_lts, right_lts) = (left.lts(), right.lts());
        for (name, relation) in Relation::NAMES {
            let told = format!("{n} philosophers, {name}, seed {}", case.seed);
            let related =
                verdict(&within_bounds(&left_lts, &right_lts, relation, RelationEngine::Auto), &told);
            if related {
                seen.related += 1;
            } else {
                seen.not_related += 1;
            }
            // Determinised, the traces of seven philosophers are a hundred thousand states.
            if (n < 6 || relation != Relation::Trace)
                && let Some(expected) = by_quotients(&left_lts, &right_lts, relation)
            {
                seen.by_quotients += 1;
                assert_eq!(related, expected, "{told}");
            }
            if n < 5 && super::oracle::RELATIONS.contains(&relation) {
                seen.by_definition += 1;
                let refuted = refuted_in(&left, &right, relation, Direction::Equivalence);
                assert_eq!(related, refuted.is_none(), "{told}");
            }
        }
        Ok(())
    });
    trial.enough(seen.related > 50 && seen.not_related > 50 && seen.by_quotients > 50, "both kinds");
}

/// Whether sets of states are compared, of which there may be very many.
fn has_sets(relation: Relation) -> bool {
    use Relation::{Failures, FailuresDivergences, Trace, WeakTrace};
    matches!(relation, Trace | WeakTrace | Failures | FailuresDivergences)
}

fn mutants(trial: &mut Trial<'_>) {
    let counted = trial.cases(0..40, |case, counted: &mut Counted| {
        let Counted { seen, verdicts, given_up } = counted;
        let mut rng = Rng::new(case.seed ^ 0x6d75_7461);
        // From a hundred states on, the larger the rarer.
        let states = match rng.below(40) {
            0 => 10_000 + rng.below(10_000) as usize,
            _ => (100 << rng.below(6)) + rng.below(100) as usize,
        };
        let left = Plain::long(&mut rng, states);
        let right = left.renumbered(&mut rng).with_one_changed(&mut rng);
        let (left_lts, right_lts) = (left.lts(), right.lts());
        for (number, (name, relation)) in Relation::NAMES.into_iter().enumerate() {
            let told = format!("{states} states, {name}, seed {}", case.seed);
            let comparison = if has_sets(relation) {
                within(&left_lts, &right_lts, relation, RelationEngine::Auto, MEMORY, PATIENCE)
            } else {
                within_bounds(&left_lts, &right_lts, relation, RelationEngine::Auto)
            };
            if has_sets(relation)
                && matches!(comparison.verdict, Verdict::Unknown(_) | Verdict::Fails(Difference::Untold(_)))
            {
                given_up[number] += 1;
                continue;
            }
            verdicts[number] += 1;
            let related = verdict(&comparison, &told);
            // If there are few sets in a comparison that found something, there may be many in a quotient.
            if !has_sets(relation) || states < 400 {
                let expected = by_quotients(&left_lts, &right_lts, relation);
                // A preorder of ten thousand states may not fit into the memory.
                let may_lack = has_sets(relation) || states >= 10_000;
                assert!(may_lack || expected.is_some(), "no quotient: {told}");
                assert!(expected.is_none_or(|expected| expected == related), "{told}");
                seen.by_quotients += u64::from(expected.is_some());
            }
            if BISIMULATIONS.contains(&relation) {
                let folded = by_folding(&left_lts, &right_lts, relation);
                assert_eq!(verdict(&folded, &told), related, "by quotients: {told}");
            }
            if let Verdict::Fails(Difference::Game(diagnosis)) = &comparison.verdict
                && states < 300
            {
                seen.told += 1;
                let seq = diagnosis.seq(told::NAMES);
                told::is_true(&seq, [&left, &right], relation)
                    .unwrap_or_else(|why| panic!("{why}: {told}\n{seq}"));
            }
            if related {
                seen.related += 1;
            } else {
                seen.not_related += 1;
            }
        }
        Ok(())
    });
    let Counted { seen, .. } = counted;
    trial.enough(seen.related > 20 && seen.not_related > 50 && seen.told > 20, "both kinds");
}

counts! {
    struct Stopped { decided, untold, unknown }
}

fn limits(trial: &mut Trial<'_>) {
    let stopped = trial.cases(0..12, |case, stopped: &mut Stopped| {
        let mut rng = Rng::new(case.seed ^ 0x6c69_6d69);
        let left = Plain::philosophers(4 + (case.seed % 3) as usize);
        let right = left.renumbered(&mut rng).with_one_changed(&mut rng);
        let (left, right) = (left.lts(), right.lts());
        for (name, relation) in Relation::NAMES {
            let told = format!("{name}, seed {}", case.seed);
            let related = verdict(&within_bounds(&left, &right, relation, RelationEngine::Auto), &told);
            let memory = (14..24).map(|bits| (1 << bits, PATIENCE));
            let time = [0, 1, 2, 4, 8, 16].map(|patience| (MEMORY, patience));
            for (memory, patience) in memory.chain(time) {
                let told = format!("{told}, {memory} bytes, {patience} turns");
                for engine in [RelationEngine::Auto, RelationEngine::Classes] {
                    let states = super::oracle::RELATIONS.contains(&relation);
                    if engine == RelationEngine::Classes && !states {
                        continue;
                    }
                    let comparison = within(&left, &right, relation, engine, memory, patience);
                    // What exceeds the memory is noticed when it is there: a table that was doubled.
                    assert!(
                        comparison.peak_bytes <= 2 * memory + (1 << 16),
                        "{} bytes: {told}",
                        comparison.peak_bytes
                    );
                    match comparison.verdict {
                        Verdict::Unknown(_) => stopped.unknown += 1,
                        Verdict::Holds(_) => assert!(related, "accepted: {told}"),
                        Verdict::Fails(Difference::Untold(_)) => {
                            assert!(!related, "refuted: {told}");
                            stopped.untold += 1;
                        }
                        Verdict::Fails(_) => assert!(!related, "refuted: {told}"),
                    }
                    stopped.decided += 1;
                }
            }
        }
        Ok(())
    });
    let Stopped { decided, untold, unknown } = stopped;
    trial.enough(untold > 0 && unknown > 100 && decided > 2 * unknown, "limits in every phase");
}

/// Where one engine runs out of memory another goes on, with the sides as they were left. So what was begun must not stay: half of
/// a state's transitions, or half of a component.
fn tight(trial: &mut Trial<'_>) {
    let stopped = trial.cases(0..12, |case, stopped: &mut Stopped| {
        let mut rng = Rng::new(case.seed ^ 0x7469_6768);
        let left = match rng.below(2) {
            0 => Plain::philosophers(3 + rng.below(2) as usize),
            _ => {
                let states = 50 + rng.below(250) as usize;
                Plain::long(&mut rng, states)
            }
        };
        let right = left.renumbered(&mut rng);
        let right = if rng.below(3) == 0 { right } else { right.with_one_changed(&mut rng) };
        let (left, right) = (left.lts(), right.lts());
        for (name, relation) in Relation::NAMES {
            if has_sets(relation) {
                continue;
            }
            let told = format!("{name}, seed {}", case.seed);
            let whole = within_bounds(&left, &right, relation, RelationEngine::Auto);
            let related = verdict(&whole, &told);
            let mut memory = 1 << 12;
            while memory < 2 * whole.peak_bytes {
                memory += memory / 8;
                let comparison = within(&left, &right, relation, RelationEngine::Auto, memory, PATIENCE);
                let peak = comparison.peak_bytes;
                assert!(peak <= 2 * memory + (1 << 16), "{peak} bytes of {memory}: {told}");
                match comparison.verdict {
                    Verdict::Unknown(_) => stopped.unknown += 1,
                    Verdict::Holds(_) => assert!(related, "accepted with {memory} bytes: {told}"),
                    Verdict::Fails(Difference::Untold(_)) => {
                        assert!(!related, "refuted with {memory} bytes: {told}");
                        stopped.untold += 1;
                    }
                    Verdict::Fails(_) => assert!(!related, "refuted with {memory} bytes: {told}"),
                }
                stopped.decided += 1;
            }
        }
        Ok(())
    });
    let Stopped { decided, untold, unknown } = stopped;
    trial.enough(untold > 0 && unknown > 100 && decided > unknown, "limits in every phase");
}

/// The relations for which classes give the shallowest formula there is.
const BISIMULATIONS: [Relation; 6] = [
    Relation::Strong,
    Relation::DivergenceBranching,
    Relation::Branching,
    Relation::Delay,
    Relation::Weak,
    Relation::TauStarA,
];

fn depth(trial: &mut Trial<'_>) {
    let seen = trial.cases(0..60, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed ^ 0x6465_7074);
        let left = match rng.below(3) {
            0 => Plain::philosophers(2 + rng.below(2) as usize),
            1 => Plain::long(&mut rng, 30),
            _ => Plain::random(&mut rng, 30, 3, 3),
        };
        let right = match left.0.iter().all(Vec::is_empty) {
            true => left.clone(),
            false => left.renumbered(&mut rng).with_one_changed(&mut rng),
        };
        for relation in BISIMULATIONS {
            let told = format!("{relation:?}, seed {}: {left:?} and {right:?}", case.seed);
            let least = least_depth(&left, &right, relation);
            let comparison = within_bounds(&left.lts(), &right.lts(), relation, RelationEngine::Classes);
            assert_eq!(verdict(&comparison, &told), least.is_none(), "{told}");
            let found = within_bounds(&left.lts(), &right.lts(), relation, RelationEngine::Auto);
            if let Verdict::Fails(Difference::Game(diagnosis)) = &found.verdict
                && diagnosis.shallowest
            {
                seen.told += 1;
                assert_eq!(Some(diagnosis.ranks()[0]), least, "on the fly: {told}");
            }
            if let Verdict::Fails(Difference::Game(diagnosis)) = &comparison.verdict {
                seen.not_related += 1;
                assert_eq!(Some(diagnosis.ranks()[0]), least, "{told}");
                let seq = diagnosis.seq(told::NAMES);
                told::is_true(&seq, [&left, &right], relation)
                    .unwrap_or_else(|why| panic!("{why}: {told}\n{seq}"));
                let folded = by_folding(&left.lts(), &right.lts(), relation);
                let Verdict::Fails(Difference::Game(folded)) = folded.verdict else {
                    panic!("not refuted by quotients: {told}")
                };
                assert_eq!(Some(folded.ranks()[0]), least, "by quotients: {told}");
                let seq = folded.seq(told::NAMES);
                told::is_true(&seq, [&left, &right], relation)
                    .unwrap_or_else(|why| panic!("{why}, by quotients: {told}\n{seq}"));
            } else {
                seen.related += 1;
            }
        }
        Ok(())
    });
    trial.enough(seen.related > 20 && seen.not_related > 50, "both kinds");
}
