//! Random systems and random formulas: the verdict of every search with every store must be that of looking at all
//! short lassos of the system, and every lasso that is reported must violate the formula, by the definition of its
//! truth.

use elnath_check::Refusal;
use elnath_check::temporal::{
    Bad, Fairness, Good, InfiniteAnswer, InfiniteRuns, MakeGood, Method, Observable, TemporalPlan, ask,
};
use elnath_check::{SearchPlan, StorePlan};
use elnath_kernel::rng::Rng;
use elnath_kernel::store::{Replacement, Replacing};
use elnath_kernel::{Budget, Limit, Stepper, Successors, System, Transition, Verdict};
use elnath_logic::automaton::{Cube, Edge, Label, Marks, State};
use elnath_logic::formula::Node;
use elnath_logic::{Atom, Automaton, Formulas, Id, Options, translate};
use elnath_testkit::World;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::Part;
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "truth", meaning: "every search with every store against all short lassos", run: truth },
    Part { name: "fair", meaning: "fairness against its definition", run: fair },
    Part { name: "accepting", meaning: "acceptance cycles", run: accepting },
    Part { name: "labels", meaning: "labels of the system beside an automaton", run: labels },
    Part { name: "successors", meaning: "successors in one pass and one by one", run: successors },
];

/// One step of a run: where it begins, and which edge is taken; none where the last state lasts for ever.
type Step = (u8, Option<usize>);

/// An infinite run of a world.
struct Lasso {
    steps: Vec<Step>,
    start: usize,
}

impl Lasso {
    fn cycle(&self) -> &[Step] {
        &self.steps[self.start..]
    }

    /// By definition: a process that could move all the time, or again and again, does.
    fn is_fair(&self, world: &World, fairness: Fairness) -> bool {
        (0..world.processes).all(|process| {
            let moves = |&(node, edge): &Step| {
                edge.is_some_and(|edge| world.edges[node as usize][edge].process == process)
            };
            let able = |&(node, _): &Step| world.able(node, process);
            let moved = self.cycle().iter().any(moves);
            match fairness {
                Fairness::None => true,
                Fairness::Weak => moved || !self.cycle().iter().all(able),
                Fairness::Strong => moved || !self.cycle().iter().any(able),
                Fairness::Live => !self.cycle().iter().all(|&(node, _)| World::owes(node, process)),
            }
        })
    }

    /// By definition: the truth of a formula at every position.
    fn truth(&self, world: &World, formulas: &Formulas, f: Id) -> Vec<bool> {
        let length = self.steps.len();
        let next = |i: usize| if i + 1 < length { i + 1 } else { self.start };
        let of = |f: Id| self.truth(world, formulas, f);
        // The least or greatest solution of `x[i] = now[i] || (on[i] && x[next i])`.
        let fixpoint = |begin: bool, now: &[bool], on: &[bool]| {
            let mut x = vec![begin; length];
            for _ in 0..=length {
                x = (0..length).map(|i| now[i] || (on[i] && x[next(i)])).collect();
            }
            x
        };
        let (yes, no) = (vec![true; length], vec![false; length]);
        let and = |a: &[bool], b: &[bool]| (0..length).map(|i| a[i] && b[i]).collect::<Vec<bool>>();
        match formulas.node(f) {
            Node::True => yes,
            Node::False => no,
            Node::Proposition(number) => {
                let holds = |&(node, edge): &Step| match &formulas.atoms()[*number as usize] {
                    Atom::State(name) => world.holds[node as usize] >> u32::from(name == "q") & 1 != 0,
                    Atom::Action(name) => edge.is_some_and(|edge| {
                        World::ACTIONS[world.edges[node as usize][edge].action as usize] == name.as_str()
                    }),
                };
                self.steps.iter().map(holds).collect()
            }
            Node::Not(f) => of(*f).iter().map(|holds| !holds).collect(),
            Node::And(parts) => parts.iter().map(|&part| of(part)).fold(yes, |all, part| and(&all, &part)),
            Node::Or(parts) => {
                let parts: Vec<Vec<bool>> = parts.iter().map(|&part| of(part)).collect();
                (0..length).map(|i| parts.iter().any(|part| part[i])).collect()
            }
            Node::Next(f) | Node::StrongNext(f) => {
                let f = of(*f);
                (0..length).map(|i| f[next(i)]).collect()
            }
            Node::Eventually(f) => fixpoint(false, &of(*f), &yes),
            Node::Always(f) => fixpoint(true, &no, &of(*f)),
            Node::Until(f, g) => fixpoint(false, &of(*g), &of(*f)),
            Node::WeakUntil(f, g) => fixpoint(true, &of(*g), &of(*f)),
            Node::Release(f, g) => fixpoint(true, &and(&of(*f), &of(*g)), &of(*g)),
            Node::StrongRelease(f, g) => fixpoint(false, &and(&of(*f), &of(*g)), &of(*g)),
        }
    }
}

/// Calls `visit` for all lassos with at most `most` steps, until it says that it has seen enough.
fn each_lasso(world: &World, stutter: bool, most: usize, visit: &mut dyn FnMut(&Lasso) -> bool) -> bool {
    fn go(
        world: &World,
        stutter: bool,
        most: usize,
        path: &mut Vec<Step>,
        at: u8,
        visit: &mut dyn FnMut(&Lasso) -> bool,
    ) -> bool {
        for start in 0..path.len() {
            if path[start].0 == at && visit(&Lasso { steps: path.clone(), start }) {
                return true;
            }
        }
        if path.len() == most {
            return false;
        }
        let edges = &world.edges[at as usize];
        let moves: Vec<(u8, Option<usize>)> = if edges.is_empty() && stutter {
            vec![(at, None)]
        } else {
            edges.iter().enumerate().map(|(i, edge)| (edge.to, Some(i))).collect()
        };
        for (to, edge) in moves {
            path.push((at, edge));
            if go(world, stutter, most, path, to, visit) {
                return true;
            }
            path.pop();
        }
        false
    }
    go(world, stutter, most, &mut Vec::new(), 0, visit)
}

/// A random formula over `p`, `q` and the action `a`.
fn formula(formulas: &mut Formulas, depth: u32, rng: &mut Rng) -> Id {
    if depth == 0 || rng.below(5) == 0 {
        let atom = match rng.below(5) {
            0 | 1 => Atom::State("p".into()),
            2 | 3 => Atom::State("q".into()),
            _ => Atom::Action("a".into()),
        };
        return formulas.atom(atom);
    }
    let f = formula(formulas, depth - 1, rng);
    match rng.below(6) {
        0 => return formulas.not(f),
        1 => return formulas.next(f),
        2 => return formulas.eventually(f),
        3 => return formulas.always(f),
        _ => {}
    }
    let g = formula(formulas, depth - 1, rng);
    match rng.below(7) {
        0 => formulas.and(f, g),
        1 => formulas.or(f, g),
        2 => formulas.until(f, g),
        3 => formulas.release(f, g),
        4 => formulas.weak_until(f, g),
        5 => formulas.implies(f, g),
        _ => formulas.strong_release(f, g),
    }
}

fn question(formulas: &mut Formulas, f: Id) -> InfiniteRuns {
    let not = formulas.not(f);
    let automaton = translate(formulas, not, Options::default()).expect("a small formula");
    let watch = |name: &String| match name.as_str() {
        "p" => Observable::State(0),
        "q" => Observable::State(1),
        _ => Observable::Action(Arc::new(|label: &str| label == "a")),
    };
    let watches = automaton.propositions.iter().map(watch).collect();
    let good = translate(formulas, f, Options::default()).expect("a small formula");
    let good = Good::new(&good, good.propositions.iter().map(watch).collect());
    let good = good.map(|good| -> Arc<MakeGood> { Arc::new(move || Some(good.clone())) });
    InfiniteRuns {
        bad: Bad::Automaton(automaton),
        labels: false,
        watches,
        stutter: true,
        faults: true,
        fairness: Fairness::None,
        good,
    }
}

fn plans() -> Vec<TemporalPlan> {
    let few = StorePlan::Replacing {
        replacement: Replacement::Random,
        most: 8,
        thrashing: Replacing::THRASHING * 1000,
    };
    let stores = [
        StorePlan::Exact,
        StorePlan::Tree,
        few,
        StorePlan::Bitstate { bytes: 1 << 14, k: 3 },
        StorePlan::Compact { bits: 64 },
    ];
    let methods = [
        None,
        Some(Method::Reachability(SearchPlan::BreadthFirst)),
        Some(Method::Reachability(SearchPlan::DepthFirst)),
        Some(Method::Weak),
        Some(Method::AlgorithmA),
        Some(Method::AlgorithmB),
        Some(Method::Se05),
        Some(Method::Cndfs),
        Some(Method::Scc),
        Some(Method::Ufscc),
        Some(Method::Shortest),
        Some(Method::Deterministic),
    ];
    let all = stores.into_iter().flat_map(|store| methods.into_iter().map(move |method| (store, method)));
    let plan = |(store, method), threads| TemporalPlan { method, shortest: false, store, threads, seed: 7 };
    let by_many = [None, Some(Method::Weak), Some(Method::Cndfs), Some(Method::Ufscc)];
    let by_many = by_many.map(|method| plan((StorePlan::Exact, method), 2));
    all.map(|how| plan(how, 1)).chain(by_many).collect()
}

pub(super) fn answer(
    world: &World,
    question: &InfiniteRuns,
    plan: &TemporalPlan,
) -> Result<InfiniteAnswer<'static>, Refusal> {
    let budget = &mut Budget {
        memory: usize::MAX,
        depth: usize::MAX,
        states: u64::MAX,
        disk: None,
        watch: &mut |_| None,
    };
    ask(Arc::new(world.clone()), question, plan, budget)
}

/// The run of an answer as one of the world. A run that is bad whatever comes is continued somehow.
fn lasso(world: &World, answer: &InfiniteAnswer<'_>) -> Option<Lasso> {
    let (mut run, mut start) = answer.run.clone()?;
    if let Some(start) = &mut start {
        answer.product.roll_back(&mut run, start);
    }
    let step = |(state, &t): (&Vec<u8>, &Transition)| {
        let edge = answer.product.inner_transition(t).map(World::number);
        (answer.product.inner(state)[0], edge)
    };
    let mut steps: Vec<Step> = run.states.iter().zip(&run.steps).map(step).collect();
    if let Some(start) = start {
        return Some(Lasso { steps, start });
    }
    let mut at = answer.product.inner(run.last())[0];
    let begin = steps.len();
    loop {
        if let Some(start) = (begin..steps.len()).find(|&i| steps[i].0 == at) {
            return Some(Lasso { steps, start });
        }
        let edge = (!world.edges[at as usize].is_empty()).then_some(0);
        steps.push((at, edge));
        at = edge.map_or(at, |edge| world.edges[at as usize][edge].to);
    }
}

fn truth(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { fails, holds, refused }
    }
    let plans = plans();
    let used: Mutex<BTreeSet<&str>> = Mutex::default();
    let seen = trial.cases(0..250, |case, seen: &mut Seen| {
        let seed = case.seed;
        let rng = &mut Rng::new(seed);
        let world = World::with_processes(rng);
        let mut formulas = Formulas::new();
        let f = formula(&mut formulas, 3, rng);
        let stutter = rng.below(3) != 0;
        let asked = InfiniteRuns { stutter, ..question(&mut formulas, f) };
        let bad = |lasso: &Lasso| !lasso.truth(&world, &formulas, f)[0];
        let found = each_lasso(&world, stutter, 6, &mut |lasso| bad(lasso));
        let mut verdict = found.then_some(true);
        for plan in &plans {
            let about = || {
                format!(
                    "seed {seed}, {plan:?}, {world:?}, {}",
                    formulas.show(f, elnath_logic::Spelling::Spot)
                )
            };
            let answer = match answer(&world, &asked, plan) {
                Ok(answer) => answer,
                Err(refusal) => {
                    assert!(refusal.is_usage(), "{refusal}: {}", about());
                    assert!(plan.method.is_some() || plan.store == StorePlan::Tree, "{refusal}: {}", about());
                    seen.refused += 1;
                    continue;
                }
            };
            used.lock().expect("nobody panics while it is locked").insert(answer.method.name());
            let violated = match &answer.verdict {
                Verdict::Fails(_) => true,
                Verdict::Holds(_) => false,
                // Not even the path has room.
                Verdict::Unknown(Limit::Memory) if matches!(plan.store, StorePlan::Replacing { .. }) => {
                    continue;
                }
                Verdict::Unknown(limit) => panic!("{limit:?}: {}", about()),
            };
            // If no short lasso is bad, the first search decides, and its own lasso has to prove it.
            assert_eq!(violated, *verdict.get_or_insert(violated), "{}", about());
            if let Some(lasso) = lasso(&world, &answer) {
                assert!(bad(&lasso), "this run satisfies the formula: {:?}, {}", lasso.steps, about());
            }
        }
        match verdict {
            Some(true) => seen.fails += 1,
            _ => seen.holds += 1,
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(
        seen.fails > asked / 5 && seen.holds > asked / 5 && seen.refused > 0,
        "verdicts of both kinds",
    );
    let all = [
        "algorithm-a",
        "algorithm-b",
        "bfs",
        "cndfs",
        "deterministic",
        "dfs",
        "scc",
        "se05",
        "shortest",
        "ufscc",
        "weak",
    ];
    let used = used.into_inner().expect("nobody panics while it is locked");
    trial.enough(all.iter().all(|method| used.contains(method)), format!("searches: {used:?}"));
}

fn fair(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { fails, saved }
    }
    let plan = TemporalPlan { method: None, shortest: false, store: StorePlan::Exact, threads: 1, seed: 7 };
    let seen = trial.cases(0..250, |case, seen: &mut Seen| {
        let seed = case.seed;
        let rng = &mut Rng::new(1_000_000 + seed);
        let world = World::with_processes(rng);
        let mut formulas = Formulas::new();
        let f = formula(&mut formulas, 2, rng);
        let unfair = question(&mut formulas, f);
        let all = matches!(answer(&world, &unfair, &plan).map(|a| a.verdict), Ok(Verdict::Fails(_)));
        for fairness in [Fairness::Weak, Fairness::Strong, Fairness::Live] {
            let asked = InfiniteRuns { fairness, ..unfair.clone() };
            let about = || {
                format!(
                    "seed {seed}, {fairness:?}, {world:?}, {}",
                    formulas.show(f, elnath_logic::Spelling::Spot)
                )
            };
            let bad =
                |lasso: &Lasso| lasso.is_fair(&world, fairness) && !lasso.truth(&world, &formulas, f)[0];
            let found = each_lasso(&world, true, 6, &mut |lasso| bad(lasso));
            for method in [None, Some(Method::Shortest)] {
                let answer = answer(&world, &asked, &TemporalPlan { method, ..plan }).expect("an answer");
                let violated = matches!(answer.verdict, Verdict::Fails(_));
                assert!(violated || !found, "{}", about());
                assert!(all || !violated, "fairness only takes runs away: {}", about());
                if let Some(lasso) = lasso(&world, &answer) {
                    assert!(bad(&lasso), "{:?}: {}", lasso.steps, about());
                }
                seen.fails += u64::from(violated);
                seen.saved += u64::from(all && !violated);
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(seen.fails > asked / 10 && seen.saved > 0, "verdicts of both kinds");
}

fn accepting(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { fails }
    }
    let seen = trial.cases(0..250, |case, seen: &mut Seen| {
        let seed = case.seed;
        let world = World::with_processes(&mut Rng::new(2_000_000 + seed));
        for fairness in [Fairness::None, Fairness::Weak] {
            let asked = InfiniteRuns {
                bad: Bad::System,
                labels: false,
                watches: Vec::new(),
                stutter: false,
                faults: true,
                fairness,
                good: None,
            };
            let bad = |lasso: &Lasso| {
                lasso.is_fair(&world, fairness)
                    && lasso.cycle().iter().any(|&(node, _)| world.accepting[node as usize])
            };
            let found = each_lasso(&world, false, 7, &mut |lasso| bad(lasso));
            for plan in plans() {
                let Ok(answer) = answer(&world, &asked, &plan) else { continue };
                let violated = matches!(answer.verdict, Verdict::Fails(_));
                assert!(violated || !found, "seed {seed}, {plan:?}, {world:?}");
                if let Some(lasso) = lasso(&world, &answer) {
                    assert!(bad(&lasso), "seed {seed}, {plan:?}, {world:?}");
                }
                seen.fails += u64::from(violated);
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(seen.fails > asked, "violations");
}

/// An automaton that accepts nothing itself follows the runs in which `p` holds all the time: of those, the system's own
/// labels decide.
fn labels(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { fails, holds }
    }
    let edge = Edge { label: Label(vec![Cube::literal(0, true)]), marks: Marks(0), to: State(0) };
    let automaton =
        Automaton { propositions: vec!["p".to_owned()], sets: 1, initial: State(0), edges: vec![vec![edge]] };
    let seen = trial.cases(0..250, |case, seen: &mut Seen| {
        let seed = case.seed;
        let world = World::with_processes(&mut Rng::new(4_000_000 + seed));
        for fairness in [Fairness::None, Fairness::Weak] {
            let asked = InfiniteRuns {
                bad: Bad::Automaton(automaton.clone()),
                labels: true,
                watches: vec![Observable::State(0)],
                stutter: true,
                faults: true,
                fairness,
                good: None,
            };
            let bad = |lasso: &Lasso| {
                lasso.is_fair(&world, fairness)
                    && lasso.steps.iter().all(|&(node, _)| world.holds[node as usize] & 1 == 1)
                    && lasso.cycle().iter().any(|&(node, _)| world.accepting[node as usize])
            };
            let found = each_lasso(&world, true, 7, &mut |lasso| bad(lasso));
            for plan in plans() {
                let Ok(answer) = answer(&world, &asked, &plan) else { continue };
                let violated = matches!(answer.verdict, Verdict::Fails(_));
                assert!(violated || !found, "seed {seed}, {plan:?}, {world:?}");
                if let Some(lasso) = lasso(&world, &answer) {
                    assert!(bad(&lasso), "seed {seed}, {plan:?}, {world:?}");
                }
                seen.fails += u64::from(violated);
                seen.holds += u64::from(!violated);
            }
        }
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(seen.fails > asked / 5 && seen.holds > asked, "verdicts of both kinds");
}

/// What is enumerated and fired in one pass is what is enumerated and fired one by one.
fn successors(trial: &mut Trial<'_>) {
    let plan = TemporalPlan { method: None, shortest: false, store: StorePlan::Exact, threads: 1, seed: 7 };
    let (): () = trial.cases(0..250, |case, ()| {
        let seed = case.seed;
        let rng = &mut Rng::new(3_000_000 + seed);
        let world = World::with_processes(rng);
        let mut formulas = Formulas::new();
        let f = formula(&mut formulas, 3, rng);
        let mut asked = InfiniteRuns { stutter: rng.below(2) == 0, ..question(&mut formulas, f) };
        if let Bad::Automaton(automaton) = &mut asked.bad
            && rng.below(3) == 0
        {
            // So many letters that what the automaton does with each of them is not written down.
            automaton.propositions.extend((0..12).map(|number| format!("unused {number}")));
            asked.watches.resize(automaton.propositions.len(), Observable::State(0));
        }
        let product = answer(&world, &asked, &plan).expect("an answer").product;
        in_one_pass(&mut *product.stepper(), &format!("seed {seed}"));
        Ok(())
    });
}

/// What is enumerated and fired in one pass is what is enumerated and fired one by one, with the same faults, in every state.
/// Returns how many transitions fail, and how many do not.
pub(super) fn in_one_pass(stepper: &mut dyn Stepper, about: &str) -> [u64; 2] {
    let (mut together, mut one_by_one) = (Successors::default(), Successors::default());
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    let (mut faults, mut sound) = (0, 0);
    let mut seen = BTreeSet::from([initial.clone()]);
    let mut left = vec![initial];
    while let Some(state) = left.pop() {
        stepper.successors(&state, &mut together);
        one_by_one.fire_all(stepper, &state);
        let list = |successors: &Successors| {
            successors.iter().map(|s| (s.transition, s.state.to_vec(), s.fault)).collect::<Vec<_>>()
        };
        assert_eq!(list(&together), list(&one_by_one), "{about}");
        for successor in together.iter() {
            faults += u64::from(successor.fault.is_some());
            sound += u64::from(successor.fault.is_none());
            if seen.insert(successor.state.to_vec()) {
                left.push(successor.state.to_vec());
            }
        }
    }
    [faults, sound]
}
