//! Formulas of branching time on random graphs: every engine against the definition, CTL against its labelling, and the formulas that are in both logics
//! against the engine for linear time. Every piece of evidence is judged again: the formula has the same value on it, and it is
//! noticed if one of its transitions is another one; and what its story says of states can be seen in them.

use elnath::Check;
use elnath_check::branching::{
    self, BranchingAnswer, BranchingEngine, BranchingFormula, Chapter, Evidence, Fact, reach,
};
use elnath_check::{Plan, SearchPlan, StorePlan};
use elnath_kernel::rng::Rng;
use elnath_kernel::store::Replacement;
use elnath_kernel::{Budget, Counters, Verdict};
use elnath_logic::branching::lower::Tested;
use elnath_logic::branching::{ActionId, MuFormulas, MuId, Positions, lower, parse_branching};
use elnath_source::SourceText;
use elnath_testkit::branching::{
    BRANCH_LABELS, BranchGraph, action_matches, random_alternating_mu, random_ctl, random_mu, satisfying,
};
use std::sync::Arc;

use super::Part;
use crate::trial::{Case, Compared, Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "mu", meaning: "the mu-calculus by all engines against its definition", run: mu },
    Part { name: "ctl", meaning: "CTL by all engines against the labelling of states", run: ctl },
    Part { name: "linear", meaning: "formulas of CTL that LTL has too, against LTL", run: linear },
];

/// Whether all agree, or who does not.
type Judged = Result<(), String>;

fn agreed(judged: Judged) -> Compared {
    judged.unwrap_or_else(|why| panic!("{why}"));
    Ok(())
}

counts! {
    /// What was compared.
    struct Formulas {
        /// Formulas that hold.
        hold,
        /// Formulas by alternation depth: 0 is none that depends on itself.
        depth_0,
        depth_1,
        depth_2,
        depth_3,
        depth_4_and_more,
        /// Formulas that are questions about what can be reached.
        reachable,
        /// Pieces of evidence.
        evidence,
        /// Of these, runs.
        runs,
        /// Changed pieces of evidence.
        changed,
        /// Facts of stories that were looked at in their states.
        facts,
    }
}

fn mu(trial: &mut Trial<'_>) {
    let counts: Formulas = trial.cases(0..2_000, |case, counts| {
        let mut rng = Rng::new(case.seed);
        let graph = BranchGraph::random(&mut rng, 7);
        let mut formulas = MuFormulas::new();
        // Formulas without a plan alternate seldom: most cases ask for a depth.
        let f = match rng.below(10) {
            0..=2 => {
                let depth = 2 + rng.below(5) as u32;
                random_mu(&mut rng, &mut formulas, depth)
            }
            3 => random_alternating_mu(&mut rng, &mut formulas, 1),
            4 | 5 => random_alternating_mu(&mut rng, &mut formulas, 2),
            6..=8 => random_alternating_mu(&mut rng, &mut formulas, 3),
            _ => random_alternating_mu(&mut rng, &mut formulas, 4),
        };
        agreed(compare(case, counts, &graph, formulas, f, &mut rng))
    });
    let asked = trial.asked();
    let Formulas { depth_0, depth_1, depth_2, depth_3, .. } = counts;
    let enough = [depth_0, depth_1, depth_2, depth_3].iter().all(|&count| count >= asked / 10);
    trial.enough(enough, "a tenth of the formulas has each of the alternation depths 0 to 3");
    trial.enough(counts.evidence > asked / 4 && counts.changed > asked / 50, "evidence is judged");
}

fn ctl(trial: &mut Trial<'_>) {
    let counts: Formulas = trial.cases(0..2_000, |case, counts| {
        let mut rng = Rng::new(case.seed);
        let graph = BranchGraph::random(&mut rng, 9);
        let mut formulas = MuFormulas::new();
        let depth = 1 + rng.below(4) as u32;
        let f = random_ctl(&mut rng, &mut formulas, depth);
        agreed(compare(case, counts, &graph, formulas, f, &mut rng))
    });
    let asked = trial.asked();
    trial.enough(counts.reachable > asked / 50, "formulas about what can be reached are among them");
    trial.enough(counts.evidence > asked / 4, "evidence is judged");
}

fn linear(trial: &mut Trial<'_>) {
    let counts: Formulas = trial.cases(0..500, |case, counts| {
        let graph = BranchGraph::random(&mut Rng::new(case.seed), 9);
        agreed(both(case, counts, &graph))
    });
    trial.enough(counts.hold > trial.asked() / 4, "formulas hold");
}

/// Formulas that mean the same in both logics.
const BOTH: [(&str, &str); 9] = [
    ("AG p", "[] p"),
    ("AF p", "<> p"),
    ("A[p U q]", "p U q"),
    ("A[p W q]", "p W q"),
    ("A[p R q]", "p V q"),
    ("p --> q", "[] (p -> <> q)"),
    ("AG (p -> AG q)", "[] (p -> [] q)"),
    ("AG AF (p && !q)", "[] <> (p && !q)"),
    ("A[] not (p && q)", "[] !(p && q)"),
];

/// Formulas of both logics on one graph.
fn both(case: &Case, counts: &mut Formulas, graph: &BranchGraph) -> Judged {
    for (branching, linear) in BOTH {
        let mut formulas = MuFormulas::new();
        let source = SourceText::new("formula", branching);
        let f = parse_branching(&mut formulas, &source, 0..branching.len(), Default::default())
            .map_err(|message| message.text)?;
        let positions = lower(&mut formulas, f);
        let value = engines(graph, &formulas, &positions, counts)?;
        let system = Arc::new(graph.clone()) as Arc<dyn elnath_kernel::System>;
        let check = Check::system(system).ltl(linear).expect("a formula");
        let report = check.threads(1).run().expect("a verdict");
        let holds = matches!(report.verdict(), Verdict::Holds(_));
        counts.hold += u64::from(holds);
        if holds != value {
            case.keep(format!("{graph:?}"));
            return Err(format!("{branching} is {value}, {linear} is {holds}"));
        }
    }
    Ok(())
}

/// Compares all engines with the definition, and what the formula's text says with the formula.
fn compare(
    case: &Case,
    counts: &mut Formulas,
    graph: &BranchGraph,
    mut formulas: MuFormulas,
    f: MuId,
    rng: &mut Rng,
) -> Judged {
    let text = formulas.show(f);
    case.keep(format!("{text}\n{graph:?}\n"));
    let wanted = satisfying(graph, &formulas, f)[0];
    let positions = lower(&mut formulas, f);
    let value = engines(graph, &formulas, &positions, counts)?;
    if value != wanted {
        return Err(format!("by definition {wanted}, found {value}: {text}"));
    }
    // The text is the formula.
    let mut again = MuFormulas::new();
    let source = SourceText::new("formula", text.clone());
    let read = parse_branching(&mut again, &source, 0..text.len(), Default::default())
        .map_err(|message| format!("{text} is not read again: {}", message.text))?;
    if again.show(read) != text || satisfying(graph, &again, read)[0] != wanted {
        return Err(format!("{text} is read as {}", again.show(read)));
    }
    counts.hold += u64::from(wanted);
    *match positions.alternation() {
        0 => &mut counts.depth_0,
        1 => &mut counts.depth_1,
        2 => &mut counts.depth_2,
        3 => &mut counts.depth_3,
        _ => &mut counts.depth_4_and_more,
    } += 1;
    let engine = if positions.alternation() <= 1 { BranchingEngine::Local } else { BranchingEngine::Parity };
    let shown = asked(graph, &formulas, &positions, engine)?.evidence;
    if let Some(evidence) = shown {
        judge_story(graph, &formulas, &evidence, &evidence.story, 0, counts)?;
        judge(graph, &again, read, &evidence, wanted, counts, rng)?;
    }
    if let Some(shape) = reach::Shape::of(&positions)
        && let Some(evidence) = reached(graph, &formulas, &positions, &shape, PLANS[0])?.1
    {
        judge_story(graph, &formulas, &evidence, &evidence.story, 0, counts)?;
        judge(graph, &again, read, &evidence, wanted, counts, rng)?;
    }
    Ok(())
}

/// Runs of a story lead on from where they begin, and what it says of a state can be seen there. `at` is where it begins, by its place in the evidence.
fn judge_story(
    graph: &BranchGraph,
    formulas: &MuFormulas,
    evidence: &Evidence,
    story: &[Chapter],
    mut at: u32,
    counts: &mut Formulas,
) -> Judged {
    for chapter in story {
        match chapter {
            Chapter::Run { steps, again } => {
                let begin = again.map(|again| steps[again].from);
                for step in steps {
                    if step.from != at || !evidence.steps.contains(step) {
                        return Err(format!("a run of the story is none: {steps:?}"));
                    }
                    at = step.to;
                }
                if begin.is_some_and(|begin| begin != at) {
                    return Err(format!("a cycle of the story is none: {steps:?}"));
                }
            }
            Chapter::Seen(fact) => {
                counts.facts += 1;
                let state = BranchGraph::decode(&evidence.states[at as usize]) as usize;
                if !is_seen(graph, formulas, state, *fact) {
                    return Err(format!("{fact:?} is not seen in {state}: {story:?}"));
                }
            }
            Chapter::Whatever(whatever) => {
                let counted = whatever.facts.iter().chain(&whatever.ends).map(|(states, _)| *states);
                let counted = counted.chain(whatever.then.iter().map(|then| then.states));
                if counted.max().is_some_and(|most| most > whatever.states) {
                    return Err(format!("something is seen in more states than there are: {whatever:?}"));
                }
                for then in &whatever.then {
                    if let Some(Chapter::Run { steps, .. }) = then.longest.first() {
                        judge_story(graph, formulas, evidence, &then.longest, steps[0].from, counts)?;
                    }
                }
            }
            Chapter::Parts(parts, _) => {
                for part in parts {
                    judge_story(graph, formulas, evidence, part, at, counts)?;
                }
            }
        }
    }
    Ok(())
}

fn is_seen(graph: &BranchGraph, formulas: &MuFormulas, state: usize, fact: Fact) -> bool {
    let possible = |action: ActionId| {
        let labels = graph.edges[state].iter().map(|&(label, _)| BRANCH_LABELS[label as usize]);
        labels.into_iter().any(|label| action_matches(formulas, action, label))
    };
    match fact {
        Fact::Possible(action) => possible(action),
        Fact::Impossible(action) => !possible(action),
        Fact::Test(test) => {
            let value = match test.of {
                Tested::Deadlock => graph.dead[state],
                Tested::Proposition(number) => {
                    let bit = u32::from(formulas.propositions()[number as usize].0 == "q");
                    graph.colours[state] >> bit & 1 == 1
                }
            };
            value == test.holds
        }
        // What a whole formula says is what the evidence is judged by.
        Fact::Value(_) => true,
    }
}

/// The formula has the same value on the evidence, and a changed transition is noticed.
fn judge(
    graph: &BranchGraph,
    formulas: &MuFormulas,
    f: MuId,
    evidence: &Evidence,
    wanted: bool,
    counts: &mut Formulas,
    rng: &mut Rng,
) -> Judged {
    counts.evidence += 1;
    counts.runs += u64::from(evidence.run().is_some());
    let number = |at: u32| BranchGraph::decode(&evidence.states[at as usize]);
    let mut edges = vec![Vec::new(); graph.edges.len()];
    for step in &evidence.steps {
        let (from, to) = (number(step.from), number(step.to));
        let edge = graph.edges[from as usize][step.transition.0 as usize];
        if edge.1 != to {
            return Err("the evidence has a transition that the graph has not".to_owned());
        }
        edges[from as usize].push(edge);
    }
    let part = BranchGraph { edges, ..graph.clone() };
    if evidence.value != wanted || satisfying(&part, formulas, f)[0] != wanted {
        return Err(format!(
            "on the evidence the formula is not {wanted}: {}, {:?}",
            formulas.show(f),
            part.edges
        ));
    }
    if !evidence.is_part_of(graph) {
        return Err("the evidence is not part of the graph".to_owned());
    }
    if !evidence.steps.is_empty() && evidence.states.len() > 1 {
        let mut other = evidence.clone();
        let at = rng.below(other.steps.len() as u64) as usize;
        other.steps[at].to = (other.steps[at].to + 1) % other.states.len() as u32;
        counts.changed += 1;
        if other.is_part_of(graph) {
            return Err("a changed transition was not noticed".to_owned());
        }
    }
    Ok(())
}

const PLANS: [Plan; 4] = [
    plan(SearchPlan::BreadthFirst, StorePlan::Exact),
    plan(SearchPlan::DepthFirst, StorePlan::Exact),
    plan(SearchPlan::BreadthFirst, StorePlan::Tree),
    plan(
        SearchPlan::DepthFirst,
        StorePlan::Replacing { replacement: Replacement::Random, most: 64, thrashing: 1000 },
    ),
];

const fn plan(search: SearchPlan, store: StorePlan) -> Plan {
    Plan { search, store, threads: 1, seed: 1 }
}

/// The value that all engines agree on.
fn engines(
    graph: &BranchGraph,
    formulas: &MuFormulas,
    positions: &Positions,
    counts: &mut Formulas,
) -> Result<bool, String> {
    let parity = asked(graph, formulas, positions, BranchingEngine::Parity)?;
    let value = parity.value.map_err(|limit| limit.name().to_owned())?;
    if positions.alternation() <= 1 {
        let local = asked(graph, formulas, positions, BranchingEngine::Local)?;
        if local.value != Ok(value) {
            return Err(format!("as a parity game {value}, as a boolean graph {:?}", local.value));
        }
    }
    if let Some(shape) = reach::Shape::of(positions) {
        counts.reachable += 1;
        for plan in PLANS {
            let (found, _) = reached(graph, formulas, positions, &shape, plan)?;
            if found != value {
                return Err(format!("as a parity game {value}, by a search {found}: {plan:?}"));
            }
        }
    }
    Ok(value)
}

fn with_formula<R>(
    formulas: &MuFormulas,
    positions: &Positions,
    ask: impl FnOnce(&BranchingFormula<'_>, &mut Budget<'_>) -> R,
) -> R {
    let actions = positions.actions();
    let matches = |label: &str| -> Vec<bool> {
        actions.iter().map(|&action| action_matches(formulas, action, label)).collect()
    };
    let bit = |(name, _): &(String, std::ops::Range<usize>)| u32::from(name == "q");
    let propositions: Vec<u32> = formulas.propositions().iter().map(bit).collect();
    let mut watch = |_: &Counters| None;
    let mut budget =
        Budget { memory: usize::MAX, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    ask(&BranchingFormula { positions, propositions: &propositions, matches: &matches }, &mut budget)
}

fn asked(
    graph: &BranchGraph,
    formulas: &MuFormulas,
    positions: &Positions,
    engine: BranchingEngine,
) -> Result<BranchingAnswer, String> {
    with_formula(formulas, positions, |formula, budget| {
        branching::ask(graph, graph, formula, engine, budget)
            .map_err(|refusal| format!("{engine:?}: {refusal}"))
    })
}

fn reached(
    graph: &BranchGraph,
    formulas: &MuFormulas,
    positions: &Positions,
    shape: &reach::Shape,
    plan: Plan,
) -> Result<(bool, Option<Evidence>), String> {
    with_formula(formulas, positions, |formula, budget| {
        let reached =
            reach::ask(graph, graph, formula, shape, &plan, budget).map_err(|refusal| refusal.to_string())?;
        Ok((reached.value.map_err(|limit| limit.name().to_owned())?, reached.evidence))
    })
}
