//! All properties of a model at once, which share one recording of its graph, against each of them asked about by itself.

use super::Part;
use super::temporal::answer;
use crate::files::File;
use crate::trial::{Trial, counts};
use elnath::{
    Check, Demand, Engine, Limit, LoadOptions, Loaded, Manner, NoAnswer, Verdict, check_all, load_together,
};
use elnath_check::StorePlan;
use elnath_check::temporal::together::record;
use elnath_check::temporal::{
    Bad, Fairness, InfiniteRuns, Method, Observable, TemporalPlan, along_recording,
};
use elnath_kernel::Budget;
use elnath_kernel::rng::Rng;
use elnath_logic::Automaton;
use elnath_logic::automaton::{Cube, Edge, Label, Marks, State};
use elnath_testkit::{
    CORNER_FORMULAS, World, random_corners, random_numbered, random_promela_with_formulas, random_symmetric,
    random_tandem,
};
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "together",
        meaning: "all properties of random models at once, against one by one",
        run: together,
    },
    Part {
        name: "components",
        meaning: "random automata on a recording of a random system, against the search of the product",
        run: components,
    },
];

/// More states are not looked at.
const MOST: u64 = 20_000;

counts! {
    /// What was compared; `shared` are the properties that were decided on a recording.
    struct Seen { properties, hold, fail, shared, too_large }
}

/// A random model with several formulas.
fn random_model(seed: u64) -> String {
    let number = seed / 4;
    let with = |mut text: String, formulas: &[&str]| {
        for (place, formula) in formulas.iter().enumerate() {
            text += &format!("\nltl f{place} {{ {formula} }}\n");
        }
        text
    };
    let tandem = ["[] <> (g == 1)", "<> [] (g != 1)", "[] ((g == 2) -> <> h)", "(g < 2) U h", "[] <> !h"];
    let symmetric = ["[] <> (g == 1)", "<> [] h", "[] (a[1] == 0)", "(g < 2) U h", "[] (h -> <> (g == 0))"];
    let numbered = ["[] (g != 2)", "[] <> (turn == 255)", "<> [] (g == 1)", "(g == 0) W (turn != 255)"];
    match seed % 8 {
        0 => with(random_tandem(number), &tandem),
        1 => with(random_symmetric(number, false), &symmetric),
        2 => with(random_numbered(number, false), &numbered),
        3 => with(random_corners(number), &CORNER_FORMULAS),
        _ => random_promela_with_formulas(seed, 3 + (number % 6) as usize),
    }
}

fn together(trial: &mut Trial<'_>) {
    let sums = trial.cases(0..160, |case, sums: &mut Seen| {
        let seed = case.seed;
        let file = File::new("together", &case.keep(random_model(seed)));
        let engine = if seed.is_multiple_of(2) { Engine::Jit } else { Engine::Interpreter };
        let first = file.load(None, engine).ok_or("refused")?;
        let demands = first.demands();
        let mut models = vec![first];
        for demand in &demands[1..] {
            let Demand::Infinite(wanted) = demand else { unreachable!("safety comes first") };
            models.push(file.load(Some(wanted.clone()), engine).ok_or("refused")?);
        }
        let options = LoadOptions { engine, ..LoadOptions::default() };
        let all = load_together(file.path(), &demands, &models, &options);
        let threads = 1 + (seed / 2 % 2) as usize;
        let ask = |most: u64| {
            move |model: &Loaded, _: Manner, _: usize| {
                let check = Check::loaded(model).threads(threads);
                Ok(check.watch(move |counters| (counters.states > most).then_some(Limit::States)))
            }
        };
        let answers = |together: Option<&Loaded>| {
            check_all((&demands, &models), together, &mut ask(MOST), &mut |_, _| false).unwrap_or_else(
                |why| match why {
                    NoAnswer::Messages(messages) => panic!("seed {seed}: {messages:?}"),
                    NoAnswer::Problem(problem) => panic!("seed {seed}: {problem}"),
                },
            )
        };
        let at_once = answers(all.as_ref());
        let one_by_one = answers(None);
        assert_eq!(at_once.len(), demands.len(), "seed {seed}: a report for each property");
        for ((demand, at_once), one) in demands.iter().zip(&at_once).zip(&one_by_one) {
            let name = demand.name();
            assert_eq!(at_once.first().name, one.first().name, "seed {seed}, {name}");
            let shared = at_once.first().figures.temporal.as_ref().map_or(0, |temporal| temporal.shared);
            sums.properties += 1;
            sums.shared += u64::from(shared > 0);
            match (at_once.verdict(), one.verdict()) {
                (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => sums.too_large += 1,
                (Verdict::Holds(_), Verdict::Holds(_)) => sums.hold += 1,
                (Verdict::Fails(_), Verdict::Fails(_)) => sums.fail += 1,
                (at_once, one) => panic!("seed {seed}, {name}: at once {at_once:?}, one by one {one:?}"),
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    let Seen { properties, hold, fail, shared, too_large } = sums;
    trial.enough(properties > 3 * asked && too_large < properties / 4, "properties");
    trial.enough(hold > properties / 5 && fail > properties / 5, "verdicts of both kinds");
    trial.enough(shared > properties / 10, "properties that shared a recording");
}

/// A small automaton with up to three acceptance sets on its edges. Every other one begins with a state that only waits.
fn random_automaton(rng: &mut Rng) -> Automaton {
    let sets = 1 + rng.below(3) as u32;
    let states = 1 + rng.below(4) as u32;
    let waits = states > 1 && rng.below(2) == 0;
    // Nothing leads back to it.
    let first = u32::from(waits);
    let edge = |rng: &mut Rng| {
        let (with, without) = (rng.below(4), rng.below(4));
        let label = Label(vec![Cube { with, without: without & !with }]);
        let marks = Marks(rng.below(1 << sets) & rng.below(1 << sets));
        Edge { label, marks, to: State(first + rng.below(u64::from(states - first)) as u32) }
    };
    let edges_of = |rng: &mut Rng, number: u32| {
        let mut edges: Vec<Edge> = (0..1 + rng.below(3)).map(|_| edge(rng)).collect();
        if waits && number == 0 {
            let label = Label(vec![Cube { with: 0, without: 0 }]);
            edges.push(Edge { label, marks: Marks(0), to: State(0) });
        }
        edges
    };
    let edges = (0..states).map(|number| edges_of(rng, number)).collect();
    Automaton { propositions: vec!["p".to_owned(), "q".to_owned()], sets, initial: State(0), edges }
}

fn components(trial: &mut Trial<'_>) {
    counts! {
        struct Found { hold, fail, lasso }
    }
    let plan = TemporalPlan {
        method: Some(Method::Scc),
        shortest: false,
        store: StorePlan::Exact,
        threads: 1,
        seed: 7,
    };
    let found = trial.cases(0..1500, |case, found: &mut Found| {
        let rng = &mut Rng::new(5_000_000 + case.seed);
        let world = World::with_processes(rng);
        let stutter = rng.below(3) != 0;
        let question = |automaton| InfiniteRuns {
            bad: Bad::Automaton(automaton),
            labels: false,
            watches: vec![Observable::State(0), Observable::State(1)],
            stutter,
            faults: true,
            fairness: Fairness::None,
            good: None,
        };
        let questions: Vec<InfiniteRuns> = (0..4).map(|_| question(random_automaton(rng))).collect();
        let (memory, depth, states) = (usize::MAX, usize::MAX, u64::MAX);
        let budget = &mut Budget { memory, depth, states, disk: None, watch: &mut |_| None };
        let recording = record(&world, budget).expect("no faults and no limits");
        let asked: Vec<&InfiniteRuns> = questions.iter().collect();
        let decided = recording.decide(&asked, 1 + rng.below(3) as usize, budget);
        for (question, decided) in questions.iter().zip(decided) {
            let decided = decided.expect("nothing runs out");
            let holds = decided.run.is_none();
            let one = answer(&world, question, &plan).expect("this search serves for all automata");
            let told = || format!("seed {}: {:?} in {world:?}", case.seed, question.bad);
            assert_eq!(holds, matches!(one.verdict, Verdict::Holds(_)), "{}", told());
            if let Some(run) = &decided.run {
                // Its automaton accepts, or there is no answer.
                let along = along_recording(Arc::new(world.clone()), question, run, decided.counters);
                let fails = along.is_ok_and(|along| matches!(along.verdict, Verdict::Fails(_)));
                assert!(fails, "{}", told());
                found.lasso += u64::from(run.loop_start.is_some());
            }
            found.hold += u64::from(holds);
            found.fail += u64::from(!holds);
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(found.hold > asked && found.fail > asked / 5, "verdicts of both kinds");
    trial.enough(found.lasso > asked / 10 && found.lasso < found.fail, "runs that go on and runs that stop");
}
