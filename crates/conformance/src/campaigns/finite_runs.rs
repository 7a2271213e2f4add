//! FiniteAnswer runs against formulas: the examples of the 1989 paper as corrected in `docs/papers.md`, and random
//! systems and formulas against the definition, run by run.

use elnath_check::finite::{FiniteAnswer, FiniteProduct, FiniteRuns, Proposition, ask, word_of};
use elnath_check::{Plan, SearchPlan, StorePlan, Violation};
use elnath_kernel::event::Operand;
use elnath_kernel::rng::Rng;
use elnath_kernel::search::{Hooks, dfsr};
use elnath_kernel::store::Replacement;
use elnath_kernel::{
    Budget, Counters, End, Fault, Propositions, Run, Stepper, Successors, System, Verdict, Witness, replay,
};
use elnath_logic::automaton::Letter;
use elnath_logic::finite::Reading;
use elnath_logic::formula::{Formulas, Id};
#[cfg(test)]
use elnath_logic::parse::{Syntax, parse_text};
use elnath_lts::{Builder, Lts};
use elnath_testkit::Cache;
use std::ops::ControlFlow;

use super::Part;
use super::oracle::finite::{Raw, numbers};
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[Part {
    name: "finite-runs",
    meaning: "formulas about finite runs of random systems against the definition",
    run: definition,
}];

/// Propositions 0 and 1 are the actions a and b, 2 and 3 are about states.
const NAMES: [&str; 4] = ["a", "b", "p", "q"];

fn random_formula(rng: &mut Rng, depth: u32, propositions: u64) -> Raw {
    if depth == 0 || rng.below(8) == 0 {
        return match rng.below(9) {
            8 => Raw::Constant(rng.below(2) == 0),
            _ => Raw::Proposition(rng.below(propositions) as usize),
        };
    }
    let one = |rng: &mut Rng| Box::new(random_formula(rng, depth - 1, propositions));
    match rng.below(9) {
        0 => Raw::Not(one(rng)),
        1 => Raw::And(one(rng), one(rng)),
        2 => Raw::Or(one(rng), one(rng)),
        3 => Raw::Next(one(rng)),
        4 => Raw::StrongNext(one(rng)),
        5 => Raw::Eventually(one(rng)),
        6 => Raw::Always(one(rng)),
        _ => Raw::Until(one(rng), one(rng)),
    }
}

/// A graph whose states have propositions.
struct Painted {
    lts: Lts,
    colours: Vec<u64>,
}

impl System for Painted {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Painter { inner: self.lts.stepper(), colours: &self.colours })
    }

    elnath_kernel::hand_on! { lts: describe, bytes }
}

struct Painter<'a> {
    inner: Box<dyn Stepper + 'a>,
    colours: &'a [u64],
}

fn number(state: &[u8]) -> usize {
    u32::from_le_bytes(state.try_into().expect("four bytes")) as usize
}

impl Stepper for Painter<'_> {
    elnath_kernel::hand_on! {
        inner: initial, enabled, fire, successors, action, may_end, transition_bits
    }
    elnath_kernel::facets! { mine: propositions; below inner: acceptance, processes, tally }
}

impl Propositions for Painter<'_> {
    fn names(&mut self) -> Vec<String> {
        vec!["p".to_owned(), "q".to_owned()]
    }

    fn fallible(&mut self) -> u64 {
        0
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.colours[number(state)]
    }

    fn proposition_fault(&mut self, _state: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    fn operands(&mut self, _state: &[u8], _number: u32) -> Vec<Operand> {
        Vec::new()
    }
}

fn meaning(name: &str) -> Proposition {
    match name {
        "p" => Proposition::State(0),
        "q" => Proposition::State(1),
        "tau" => Proposition::Other,
        action => Proposition::Action(action.to_owned()),
    }
}

fn meanings(formulas: &Formulas, formula: Id) -> Vec<Proposition> {
    let numbers = formulas.propositions(formula);
    numbers.iter().map(|&number| meaning(&formulas.atoms()[number as usize].name())).collect()
}

fn plan(search: SearchPlan, store: StorePlan) -> Plan {
    Plan { search, store, threads: 1, seed: 1 }
}

fn replacing(most: usize) -> StorePlan {
    StorePlan::Replacing { replacement: Replacement::Random, most, thrashing: 50 }
}

fn asked(system: &dyn System, property: &FiniteRuns<'_>, plan: &Plan) -> FiniteAnswer {
    let mut watch = |_: &Counters| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    ask(system, property, false, plan, &mut budget).expect("a plan that can work, and a run that replays")
}

/// Looks for what the product shows, without the question that is made of it.
struct Look {
    reading: Reading,
}

impl Hooks for Look {
    fn expand(&mut self, stepper: &mut dyn Stepper, pair: &[u8], successors: &Successors) -> ControlFlow<()> {
        let wrong = match self.reading {
            Reading::Prefix => stepper.valuation(pair) & 1 == 0,
            Reading::Maximal => successors.is_empty() && !stepper.may_end(pair),
        };
        if wrong { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The length of a shortest run up to `longest` steps that must satisfy the formula and does not: all runs are made, one
/// after the other, and each is held against the definition.
fn naive(system: &Painted, raw: &Raw, property: &FiniteRuns<'_>, longest: usize) -> Option<usize> {
    let states = property.reads_states();
    let colour = |state: u32| system.colours[state as usize] << 2;
    let letter = |name: &str| match name {
        "a" => 1,
        "b" => 2,
        _ => 0,
    };
    let mut runs: Vec<(u32, Vec<Letter>)> = vec![(system.lts.initial(), Vec::new())];
    for length in 0..=longest {
        for (state, steps) in &runs {
            let stuck = system.lts.edges(*state).is_empty();
            let counts = match property.reading {
                Reading::Prefix => true,
                Reading::Maximal => stuck,
            };
            let mut word = steps.clone();
            if states {
                word.push(colour(*state));
            }
            let left_out = word.is_empty() && !property.empty_word;
            if counts && !left_out && !raw.holds(&word, 0) {
                return Some(length);
            }
        }
        let longer = |(state, steps): &(u32, Vec<Letter>)| {
            let here = if states { colour(*state) } else { 0 };
            let more = |edge: &elnath_lts::Edge| {
                let action = letter(system.lts.label(edge.label));
                (edge.target, steps.iter().copied().chain([here | action]).collect())
            };
            system.lts.edges(*state).iter().map(more).collect::<Vec<_>>()
        };
        runs = runs.iter().flat_map(longer).collect();
    }
    None
}

/// The run is one that must satisfy the formula and does not, by the definition.
fn is_wrong(system: &Painted, raw: &Raw, property: &FiniteRuns<'_>, run: &Run) -> bool {
    let word: Vec<Letter> = word_of(system, property, run);
    // From the formula's numbers to ours.
    let places = numbers(property.formulas, property.formulas.propositions(property.formula), &NAMES);
    let ours = |letter: Letter| (0..).zip(&places).fold(0, |new, (bit, p)| new | (letter >> bit & 1) << p);
    let word: Vec<Letter> = word.into_iter().map(ours).collect();
    let stuck = system.lts.edges(number(run.last()) as u32).is_empty();
    !raw.holds(&word, 0) && (property.reading == Reading::Prefix || stuck)
}

fn random_system(rng: &mut Rng) -> Painted {
    let nodes = 1 + rng.below(4);
    let mut builder = Builder::new();
    for node in 0..nodes {
        for _ in 0..rng.below(3) {
            let label = ["a", "b", "c"][rng.below(3) as usize];
            builder.add(node as u32, label, rng.below(nodes) as u32);
        }
    }
    builder.at_least_states(nodes as u32);
    Painted { lts: builder.finish(0), colours: (0..nodes).map(|_| rng.below(4)).collect() }
}

fn definition(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { failed, long }
    }
    const LONGEST: usize = 7;
    let seen = trial.cases(0..3_000, |case, seen: &mut Seen| {
        let seed = case.seed;
        let mut rng = Rng::new(seed);
        let system = random_system(&mut rng);
        // Half of the formulas are about actions only.
        let depth = 1 + rng.below(3) as u32;
        let raw = random_formula(&mut rng, depth, if seed % 2 == 0 { 2 } else { 4 });
        let mut formulas = Formulas::new();
        let formula = raw.build(&mut formulas, &NAMES);
        let propositions = meanings(&formulas, formula);
        for reading in [Reading::Prefix, Reading::Maximal] {
            let empty_word = rng.below(2) == 0;
            let property =
                FiniteRuns { formulas: &formulas, formula, propositions: &propositions, reading, empty_word };
            let about = format!("seed {seed}, {reading:?}, empty word {empty_word}, {raw:?}");
            let expected = naive(&system, &raw, &property, LONGEST);
            let shortest =
                asked(&system, &property, &plan(SearchPlan::BreadthFirst, StorePlan::Exact)).answer;
            let fails = shortest.violation.as_ref().map(|(_, run)| run.steps.len());
            match (expected, fails) {
                (Some(length), found) => assert_eq!(found, Some(length), "{about}"),
                (None, Some(length)) => {
                    assert!(length > LONGEST, "{about}: the definition knows of no such run");
                    seen.long += 1;
                }
                (None, None) => {}
            }
            seen.failed += u64::from(fails.is_some());
            for plan in [
                plan(SearchPlan::BreadthFirst, StorePlan::Tree),
                Plan { threads: 3, ..plan(SearchPlan::BreadthFirst, StorePlan::Exact) },
                plan(SearchPlan::DepthFirst, StorePlan::Exact),
                plan(SearchPlan::DepthFirst, StorePlan::Compact { bits: 64 }),
                plan(SearchPlan::BreadthFirst, StorePlan::Compact { bits: 48 }),
                plan(SearchPlan::DepthFirst, StorePlan::Bitstate { bytes: 1 << 12, k: 3 }),
                plan(SearchPlan::DepthFirst, replacing(usize::MAX)),
            ] {
                // Only the first cases with three workers: threads are slow to start.
                if plan.threads > 1 && seed >= 200 {
                    continue;
                }
                let answer = asked(&system, &property, &plan).answer;
                assert_eq!(answer.violation.is_some(), fails.is_some(), "{about}, {plan:?}");
                if let Some((violation, run)) = &answer.violation {
                    assert_eq!(*violation, Violation::FiniteRun);
                    assert!(is_wrong(&system, &raw, &property, run), "{about}, {plan:?}");
                    assert!(matches!(&answer.verdict, Verdict::Fails(d) if d.steps == run.steps));
                }
            }
            let product = FiniteProduct::new(&system, &property).expect("few propositions");
            for size in [0, 1, 2, 3, usize::MAX] {
                let mut watch = |_: &Counters| None;
                let mut budget = Budget {
                    memory: usize::MAX,
                    depth: usize::MAX,
                    states: 2_000_000,
                    disk: None,
                    watch: &mut watch,
                };
                let (mut stepper, mut root) = (product.stepper(), Vec::new());
                stepper.initial(&mut root);
                let mut cache = Cache::new(size, seed);
                let outcome = dfsr(&mut *stepper, &mut cache, &mut Look { reading }, &root, &mut budget);
                let end = if fails.is_some() { End::Stopped } else { End::Complete };
                assert_eq!(outcome.end, end, "{about}, cache of {size}");
                if let Some(Witness::Run(steps)) = &outcome.witness {
                    let run = replay(&system, steps).expect("a run of the system");
                    assert!(is_wrong(&system, &raw, &property, &run), "{about}, cache of {size}");
                }
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(seen.failed > asked / 2 && seen.failed < asked * 3 / 2, "verdicts of both kinds");
    trial.enough(seen.long < asked / 50, "violations that the definition knows");
}

#[cfg(test)]
/// A graph of transitions from state 0 on.
fn graph(transitions: &[(u32, &str, u32)]) -> Lts {
    let mut builder = Builder::new();
    for &(from, label, to) in transitions {
        builder.add(from, label, to);
    }
    builder.finish(0)
}

#[cfg(test)]
/// The labels of the run on which the formula fails, if it does: shortest first, and the same with a cache of nothing.
fn failing(lts: &Lts, text: &str, reading: Reading, empty_word: bool) -> Option<Vec<String>> {
    let mut formulas = Formulas::new();
    let formula = parse_text(&mut formulas, text, Syntax::default()).expect("a formula").formula;
    let propositions = meanings(&formulas, formula);
    let property =
        FiniteRuns { formulas: &formulas, formula, propositions: &propositions, reading, empty_word };
    let answer = asked(lts, &property, &plan(SearchPlan::BreadthFirst, StorePlan::Exact)).answer;
    let deep = asked(lts, &property, &plan(SearchPlan::DepthFirst, replacing(usize::MAX))).answer;
    assert_eq!(answer.violation.is_some(), deep.violation.is_some(), "{text}");
    answer.violation.map(|(_, run)| {
        let mut stepper = lts.stepper();
        let steps = run.states.iter().zip(&run.steps);
        steps.map(|(state, &t)| lts.describe().action_name(stepper.action(state, t))).collect()
    })
}

#[cfg(test)]
fn word(text: &str) -> Option<Vec<String>> {
    Some(text.chars().map(|c| c.to_string()).collect())
}

#[cfg(test)]
const PHI1: &str = "G(a -> X(!a U b))";
#[cfg(test)]
const PHI2: &str = "(F a) U (G b)";

#[test]
fn the_papers_formulas_in_both_readings() {
    use Reading::{Maximal, Prefix};
    // After a comes b at once: a final a is fine, an action between is not.
    let ab = graph(&[(0, "a", 1), (1, "b", 0), (0, "t", 0)]);
    let atb = graph(&[(0, "a", 1), (1, "t", 2), (2, "b", 3)]);
    assert_eq!(failing(&ab, PHI1, Prefix, true), None);
    assert_eq!(failing(&atb, PHI1, Prefix, true), word("at"));
    assert_eq!(failing(&atb, PHI1, Maximal, true), None);
    let at = graph(&[(0, "a", 1), (1, "t", 2)]);
    assert_eq!(failing(&at, PHI1, Maximal, true), word("at"));
    assert_eq!(failing(&graph(&[(0, "a", 1)]), PHI1, Maximal, true), None, "a final a is legal");
    assert_eq!(failing(&graph(&[(0, "a", 1)]), "G(a -> X[!](!a U b))", Maximal, true), word("a"));

    // b and nothing else, or anything that ends in a b+.
    let b = graph(&[(0, "b", 0)]);
    let tab = graph(&[(0, "t", 1), (1, "a", 2), (2, "b", 3)]);
    assert_eq!(failing(&b, PHI2, Prefix, false), None);
    assert_eq!(failing(&b, PHI2, Prefix, true), word(""), "the empty run does not satisfy it");
    assert_eq!(failing(&tab, PHI2, Prefix, false), word("t"));
    assert_eq!(failing(&tab, PHI2, Maximal, true), None);

    // F a: the first action is a. GF a: every action is a.
    let ta = graph(&[(0, "t", 1), (1, "a", 2)]);
    let at = graph(&[(0, "a", 1), (1, "t", 2)]);
    assert_eq!(failing(&ta, "F a", Prefix, false), word("t"));
    assert_eq!(failing(&at, "F a", Prefix, false), None);
    assert_eq!(failing(&at, "G F a", Prefix, false), word("at"));
    assert_eq!(failing(&graph(&[(0, "a", 0)]), "G F a", Prefix, false), None);
    assert_eq!(failing(&ta, "F a", Maximal, true), None);
    assert_eq!(failing(&ta, "G F a", Maximal, true), None);
    assert_eq!(failing(&at, "G F a", Maximal, true), word("at"));
    // Nothing ends, so nothing is wrong; and that is told.
    assert_eq!(failing(&graph(&[(0, "t", 0)]), "F a", Maximal, true), None);
}

#[test]
fn the_initial_pair_of_figure_5_is_tested_too() {
    // Figure 5 pushes it unchecked: this was not reported.
    assert_eq!(failing(&graph(&[(0, "a", 1)]), "G !a", Reading::Prefix, false), word("a"));
    // By the definition no system satisfies F a in the prefix reading, because the empty run does not.
    assert_eq!(failing(&graph(&[(0, "a", 0)]), "F a", Reading::Prefix, true), word(""));
    assert_eq!(failing(&graph(&[(0, "a", 0)]), "F a", Reading::Prefix, false), None);
    // A longer run may come back to the initial pair: the empty run is left out, not the pair.
    assert_eq!(failing(&graph(&[(0, "a", 0)]), PHI2, Reading::Prefix, false), word("a"));
    // A system that stops at once has one run that ends, the empty one.
    let mut builder = Builder::new();
    builder.at_least_states(1);
    let stopped = builder.finish(0);
    assert_eq!(failing(&stopped, "F a", Reading::Maximal, true), word(""));
    assert_eq!(failing(&stopped, "F a", Reading::Maximal, false), None);
    // By the definition G a is false on the empty word, and G !a true.
    assert_eq!(failing(&stopped, "G a", Reading::Maximal, true), word(""));
    assert_eq!(failing(&stopped, "G !a", Reading::Maximal, true), None);
}

#[test]
fn tau_is_what_the_formula_does_not_name() {
    let lts = graph(&[(0, "a", 1), (1, "x", 2), (2, "y", 0)]);
    assert_eq!(failing(&lts, "G(a | tau)", Reading::Prefix, true), word(""));
    assert_eq!(failing(&lts, "G(a | tau)", Reading::Prefix, false), None);
    assert_eq!(failing(&lts, "G(a -> X(tau & X tau))", Reading::Prefix, true), None);
    // x has a name now, so tau is y alone.
    assert_eq!(failing(&lts, "G(a | tau) | F(x & a)", Reading::Prefix, false), word("ax"));
}

#[test]
fn whether_runs_end_at_all_is_told() {
    let mut formulas = Formulas::new();
    let formula = parse_text(&mut formulas, "F a", Syntax::default()).expect("a formula").formula;
    let propositions = meanings(&formulas, formula);
    let property = FiniteRuns {
        formulas: &formulas,
        formula,
        propositions: &propositions,
        reading: Reading::Maximal,
        empty_word: true,
    };
    let dfs = plan(SearchPlan::DepthFirst, StorePlan::Exact);
    let endless = asked(&graph(&[(0, "t", 0)]), &property, &dfs);
    assert!(!endless.met_an_end && matches!(endless.answer.verdict, Verdict::Holds(_)));
    let ends = asked(&graph(&[(0, "a", 1)]), &property, &dfs);
    assert!(ends.met_an_end && ends.automaton_states == 2);
}
