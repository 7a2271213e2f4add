//! Formulas of branching time on random graphs: every engine against the definition, CTL against its labelling, and the formulas that are in both logics
//! against the engine for linear time. Every piece of evidence is judged again: the formula has the same value on it, and it is
//! noticed if one of its transitions is another one.

use elnath::Check;
use elnath_check::branching::{self, BranchingAnswer, BranchingEngine, BranchingFormula, Evidence, reach};
use elnath_check::{Plan, SearchPlan, StorePlan};
use elnath_kernel::rng::Rng;
use elnath_kernel::store::Replacement;
use elnath_kernel::{Budget, Counters, Verdict};
use elnath_logic::branching::{MuFormulas, MuId, Positions, lower, parse_branching};
use elnath_source::SourceText;
use elnath_testkit::branching::{BranchGraph, action_matches, random_ctl, random_mu, satisfying};
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
        /// Formulas whose fixpoints alternate, by depth.
        alternating,
        deeper,
        /// Formulas that are questions about what can be reached.
        reachable,
        /// Pieces of evidence.
        evidence,
        /// Of these, runs.
        runs,
        /// Changed pieces of evidence.
        changed,
    }
}

fn mu(trial: &mut Trial<'_>) {
    let counts: Formulas = trial.cases(0..2_000, |case, counts| {
        let mut rng = Rng::new(case.seed);
        let graph = BranchGraph::random(&mut rng, 7);
        let mut formulas = MuFormulas::new();
        let depth = 2 + rng.below(5) as u32;
        let f = random_mu(&mut rng, &mut formulas, depth);
        agreed(compare(case, counts, &graph, formulas, f, &mut rng))
    });
    let asked = trial.asked();
    trial.enough(counts.alternating > asked / 100, "formulas alternate");
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
    counts.alternating += u64::from(positions.alternation() == 2);
    counts.deeper += u64::from(positions.alternation() > 2);
    let engine = if positions.alternation() <= 1 { BranchingEngine::Local } else { BranchingEngine::Parity };
    let shown = asked(graph, &formulas, &positions, engine)?.evidence;
    if let Some(evidence) = shown {
        judge(graph, &again, read, &evidence, wanted, counts, rng)?;
    }
    if let Some(shape) = reach::Shape::of(&positions)
        && let Some(evidence) = reached(graph, &formulas, &positions, &shape, PLANS[0])?.1
    {
        judge(graph, &again, read, &evidence, wanted, counts, rng)?;
    }
    Ok(())
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
