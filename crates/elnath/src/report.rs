//! The answers to what was asked: a list of properties, each with a verdict, what shows it, and the figures of the search.
//!
//! What shows that a property fails depends on the question (a run, a difference between two systems, a channel that grows), and so do
//! the figures. The list, the verdict and the summaries are the same for all, so that text and JSON can be made of them in one way.

use crate::explanation::Truths;
use crate::findings::Finding;
use crate::finite::FiniteProperty;
use crate::property::TemporalProperty;
use crate::reductions::StageReport;
use crate::room::Reach;
use elnath_check::swarm::Swarmed;
use elnath_check::temporal::{Fairness, Looked, Method, Size};
use elnath_check::{ErrorCounts, Plan, Polished, Scouted, SearchChoice, StorePlan, Violation};
use elnath_kernel::event::Operand;
use elnath_kernel::{Action, Counters, Coverage, Disk, End, Limit, Run, System, Verdict};
use elnath_logic::finite::Reading;
use elnath_logic::scc::Strength;
use std::sync::Arc;

/// The answers to what was asked.
pub struct Report<E, F> {
    /// The properties that were asked about: at least one.
    pub properties: Vec<PropertyReport<E, F>>,
    /// How many programs were compiled to machine code for it.
    pub compilations: u64,
    /// What is to be said beside the verdicts: see [`crate::findings`].
    pub findings: Vec<Finding>,
}

/// What is known of a property.
#[derive(Clone)]
pub struct PropertyReport<E, F> {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// What kind of property it is.
    pub kind: PropertyKind,
    /// The property: a formula, or what is demanded in words.
    pub text: String,
    /// Where it is written, as `file:line`, if it is part of a model.
    pub place: Option<String>,
    /// The verdict, with the evidence if it fails.
    pub verdict: Verdict<E>,
    /// The evidence in a few words, if it fails.
    pub summary: Option<Summary>,
    /// What the search did.
    pub figures: F,
}

/// What kind of property something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Nothing forbidden can be reached: deadlocks, faults, actions, states in which an invariant is false.
    Safety,
    /// Every infinite run satisfies a formula.
    Ltl,
    /// No run is matched by a never claim.
    NeverClaim,
    /// No run is accepted by an automaton.
    Automaton,
    /// No run is without progress from some point on.
    Progress,
    /// No run is again and again at an acceptance label.
    Acceptance,
    /// Every finite run satisfies a formula.
    Ltlf,
    /// Two systems are related.
    Relation,
    /// No channel grows for ever.
    Boundedness,
    /// One of the demands of k-multiparty compatibility.
    Compatibility,
    /// A marking can be reached, or is never reached.
    Reachability,
    /// The initial state satisfies a formula of branching time.
    Branching,
    /// How large something becomes.
    Bound,
}

impl PropertyKind {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            PropertyKind::Safety => "safety",
            PropertyKind::Ltl => "ltl",
            PropertyKind::NeverClaim => "never claim",
            PropertyKind::Automaton => "automaton",
            PropertyKind::Progress => "progress",
            PropertyKind::Acceptance => "acceptance",
            PropertyKind::Ltlf => "ltlf",
            PropertyKind::Relation => "relation",
            PropertyKind::Boundedness => "boundedness",
            PropertyKind::Compatibility => "compatibility",
            PropertyKind::Reachability => "reachability",
            PropertyKind::Branching => "branching",
            PropertyKind::Bound => "bound",
        }
    }
}

/// What shows that a property fails, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What kind of violation it is, in one word.
    pub kind: &'static str,
    /// The violation in a sentence.
    pub text: String,
    /// What is violated, where, and by which values, on one line.
    pub headline: String,
    /// These values, as far as they have names.
    pub values: Vec<Operand>,
    /// What happened in the end, in a sentence.
    pub sentence: String,
    /// How many steps it takes.
    pub length: usize,
    /// The step from which on the steps are repeated for ever, from 0, if they are.
    pub loop_start: Option<usize>,
}

impl Summary {
    /// What is said in one line.
    pub(crate) fn brief(kind: &'static str, text: String, length: usize) -> Self {
        let headline = text.clone();
        Self { kind, text, headline, values: Vec::new(), sentence: String::new(), length, loop_start: None }
    }
}

impl<E, F> Report<E, F> {
    /// A report about one property.
    pub(crate) fn of(property: PropertyReport<E, F>, compilations: u64) -> Self {
        Self { properties: vec![property], compilations, findings: Vec::new() }
    }

    /// The first property: the only one, unless several were asked about.
    ///
    /// # Panics
    /// If there is none, which no question reports.
    pub fn first(&self) -> &PropertyReport<E, F> {
        &self.properties[0]
    }

    /// The property with the worst verdict: one that fails, else one of which nothing is known, else the one with the least
    /// coverage; of several, the first.
    ///
    /// # Panics
    /// If there is none, which no question reports.
    pub fn worst(&self) -> &PropertyReport<E, F> {
        let worse = |worst: usize, other: usize| {
            let number = |at: usize| self.properties[at].verdict.as_ref().map(|_| at);
            match number(worst).worse(number(other)) {
                verdict if verdict == number(worst) => worst,
                _ => other,
            }
        };
        &self.properties[(1..self.properties.len()).fold(0, worse)]
    }

    /// The verdict about all properties: the worst of theirs.
    pub fn verdict(&self) -> Verdict<&E> {
        self.worst().verdict.as_ref()
    }

    /// The same, with the evidence.
    ///
    /// # Panics
    /// If there is no property, which no question reports.
    pub fn into_verdict(self) -> Verdict<E> {
        let verdicts = self.properties.into_iter().map(|property| property.verdict);
        verdicts.reduce(Verdict::worse).expect("a report is about some property")
    }

    /// The same with the properties of another report after these.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.properties.extend(other.properties);
        self.findings.extend(other.findings);
        Self { compilations: self.compilations + other.compilations, ..self }
    }
}

impl<E, F> PropertyReport<E, F> {
    /// What ran out, if the verdict is not known.
    pub fn limit(&self) -> Option<Limit> {
        self.verdict.limit()
    }

    /// The violation in a sentence.
    pub fn violation_text(&self) -> Option<&str> {
        self.summary.as_ref().map(|summary| summary.text.as_str())
    }
}

/// What [`crate::Check`] reports.
pub type CheckReport<'a> = Report<ViolatingRun, SearchFigures<'a>>;
/// What it reports of each property.
pub type CheckedProperty<'a> = PropertyReport<ViolatingRun, SearchFigures<'a>>;

/// A run that violates a property, replayed on the model as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct ViolatingRun {
    /// What is wrong with it.
    pub violation: Violation,
    /// The run. Of an infinite one, with the automaton of the property.
    pub run: Run,
    /// The step of the run with which its cycle begins, from 0. An infinite run without one is bad whatever comes after it.
    pub loop_start: Option<usize>,
    /// An infinite run without the automaton and without the steps in which only that moves: one of the system alone, with the step
    /// with which its cycle begins.
    pub alone: Option<(Run, Option<usize>)>,
    /// Which propositions of a formula hold where along it.
    pub truths: Option<Truths>,
    /// What was done to make it easier to read, if the system tells who moves.
    pub polished: Option<Polished>,
}

/// The errors of a model, told apart by kind and place: see [`elnath_check::distinct`].
#[derive(Clone, Debug, Default)]
pub struct ErrorList {
    /// Those that are listed, the ones with short runs first.
    pub errors: Vec<ErrorReport>,
    /// How many more there are.
    pub more: u64,
    /// Whether there may be more than that.
    pub at_least: bool,
}

/// One error.
#[derive(Clone, Debug)]
pub struct ErrorReport {
    /// What is wrong.
    pub violation: Violation,
    /// The error in a few words.
    pub summary: Summary,
    /// Where it is: a statement, or where each process is, as `file:line`.
    pub place: Option<String>,
    /// In how many states, or at how many transitions, it was met.
    pub met: u64,
    /// A run to it, replayed on the model as it was written, if one is known.
    pub shown: Option<ViolatingRun>,
    /// The step of that run, from 0, that runs into another fault before, after which the walk went on.
    pub after_fault: Option<usize>,
}

impl ErrorReport {
    /// How often it was met, in words.
    pub fn times(&self) -> String {
        let what = match self.violation {
            Violation::Fault(_) | Violation::Forbidden(_) => "transition",
            _ => "state",
        };
        crate::words::plural(self.met, what)
    }
}

impl ErrorList {
    /// How many there are, as far as they could be told apart, in words.
    pub fn count(&self) -> String {
        let least = if self.at_least { "at least " } else { "" };
        let count = crate::words::plural(self.errors.len() as u64 + self.more, "distinct error");
        format!("{least}{count}")
    }
}

/// What a search did.
#[derive(Clone)]
pub struct SearchFigures<'a> {
    /// The system that runs are told in: the model as it was written, with the automaton of a property of infinite runs.
    pub system: Arc<dyn System + 'a>,
    /// What was chosen.
    pub choice: SearchChoice,
    /// How it was walked.
    pub plan: Plan,
    /// What an exact store had done when it ran out of memory, if a tree store began again.
    pub before: Option<Counters>,
    /// The disk it could go on on.
    pub disk: Option<Arc<Disk>>,
    /// Whether all violations were to be counted.
    pub all: bool,
    /// How many violations were met.
    pub errors: ErrorCounts,
    /// The errors that these are, if all were to be found.
    pub distinct: ErrorList,
    /// What the walk did.
    pub counters: Counters,
    /// Why the walk ended.
    pub end: End,
    /// What the store can claim about a complete walk.
    pub coverage: Coverage,
    /// After a complete walk, the actions that were never fired.
    pub unfired: Vec<Action>,
    /// What a swarm did, if there was one.
    pub swarm: Option<Swarmed>,
    /// What scouts did, if they had to set out.
    pub scouted: Option<Scouted>,
    /// If it was asked about finite runs, how.
    pub finite: Option<Arc<FiniteFigures>>,
    /// If it was asked about infinite runs, how.
    pub temporal: Option<Temporal>,
    /// If it ran out of memory and stores were tried: those that reach further.
    pub reach: Option<Vec<Reach>>,
    /// What became of the reductions that were wanted, in the order in which they were applied.
    pub stages: Vec<StageReport>,
}

/// What is to be told of an answer about finite runs, beside what is told of any.
pub struct FiniteFigures {
    /// What was asked.
    pub property: FiniteProperty,
    /// Whether the walk met a run that ends.
    pub met_an_end: bool,
}

/// What is to be told of an answer about infinite runs, beside what is told of any.
#[derive(Clone)]
pub struct Temporal {
    /// What was asked.
    pub property: TemporalProperty,
    /// How it was looked for.
    pub method: Method,
    /// The strength of the automaton of the bad runs.
    pub strength: Strength,
    /// Its size, in the form that the search wanted.
    pub size: Size,
    /// How many workers looked for it.
    pub workers: usize,
    /// Why there was one only, if more were wanted, in words that follow "because".
    pub one_worker: Option<&'static str>,
    /// The faults that the search came across, in words, whether they count or not.
    pub faults: Vec<String>,
    /// What was seen of the propositions.
    pub looked: Looked,
    /// Whether the automaton can accept right after it has left its initial state.
    pub accepts_at_once: bool,
    /// How many properties were decided on one recording of the graph, this one among them; 0 if it was searched for by itself.
    pub shared: usize,
}

impl Temporal {
    /// Whether the runs that count are those that everybody expects: all, with a last state that lasts for ever.
    pub fn reads_all_runs(&self) -> bool {
        let question = &self.property.question;
        question.fairness == Fairness::None && question.stutter && question.faults
    }

    /// What the runs that count are, in words.
    pub fn reading(&self) -> String {
        let runs = match self.property.question.fairness {
            Fairness::None => "all runs",
            Fairness::Weak => "runs that are weakly fair to each process",
            Fairness::Strong => "runs that are strongly fair to each process",
            Fairness::Live => {
                "runs in which each process with accept labels is at one of them again and again"
            }
        };
        let ends = if self.property.question.stutter {
            "the last state of a run that ends lasts for ever"
        } else {
            "runs that end do not count"
        };
        let faults = if self.property.question.faults { "" } else { "; faults of the model are ignored" };
        format!("{runs}; {ends}{faults}")
    }
}

impl SearchFigures<'_> {
    /// What became of a reduction, by its name, if it was wanted.
    pub fn stage(&self, name: &str) -> Option<&StageReport> {
        self.stages.iter().find(|stage| stage.name == name)
    }

    /// How many workers the search had.
    pub fn workers(&self) -> usize {
        self.temporal.as_ref().map_or(self.plan.workers(), |temporal| temporal.workers)
    }

    /// Why there was one only, if more were wanted, in words that follow "because".
    pub fn one_worker(&self) -> Option<&'static str> {
        self.temporal.as_ref().map_or(self.plan.one_worker(), |temporal| temporal.one_worker)
    }

    /// Whether chance had a part in it: the same search with another seed might have told something else.
    pub fn is_random(&self) -> bool {
        let store = match self.plan.store {
            StorePlan::Exact | StorePlan::Tree => false,
            StorePlan::Replacing { .. } | StorePlan::Bitstate { .. } | StorePlan::Compact { .. } => true,
        };
        store || self.swarm.is_some() || self.scouted.is_some()
    }

    /// The name of the search.
    pub fn search_name(&self) -> &'static str {
        self.temporal.as_ref().map_or(self.plan.search.name(), |temporal| temporal.method.name())
    }

    /// The parts of the model that were never executed, after a complete walk: place and text, in the order
    /// of the lines.
    pub fn dead_parts(&self) -> Vec<(Option<String>, String)> {
        let part = |&action: &Action| (self.system.action_place(action), self.system.action_name(action));
        let mut parts: Vec<(Option<String>, String)> = self.unfired.iter().map(part).collect();
        let line = |place: &String| place.rsplit_once(':').and_then(|(_, line)| line.parse::<u32>().ok());
        parts.sort_by_key(|(place, _)| place.as_ref().and_then(line));
        // A transition that does several things is told once.
        parts.dedup();
        parts
    }
}

impl CheckedProperty<'_> {
    /// What is wrong, and the run to it, if it is known.
    pub fn violation(&self) -> Option<(Violation, &Run)> {
        self.verdict.evidence().map(|shown| (shown.violation, &shown.run))
    }

    /// Whether it fails because of a fault of the model, so that nothing is known of the property itself.
    pub fn is_fault(&self) -> bool {
        matches!(self.violation(), Some((Violation::Fault(_), _)))
    }

    /// Whether a question about the runs that end was answered without meeting one.
    pub fn is_vacuous(&self) -> bool {
        let maximal = |finite: &FiniteFigures| finite.property.which() == Reading::Maximal;
        let finite = self.figures.finite.as_ref().filter(|finite| maximal(finite));
        matches!(self.verdict, Verdict::Holds(_)) && finite.is_some_and(|finite| !finite.met_an_end)
    }

    /// The steps to the violation: each action with the state it leads to.
    pub fn steps(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let system = &self.figures.system;
        self.violation().into_iter().flat_map(move |(_, run)| {
            run.steps.iter().enumerate().map(move |(i, &t)| {
                (system.show_transition(&run.states[i], t), system.show_state(&run.states[i + 1]))
            })
        })
    }

    /// The steps to the violation, a line each.
    pub fn story(&self) -> Vec<String> {
        self.steps().map(|(action, state)| format!("{action} -> {state}")).collect()
    }
}

impl CheckReport<'_> {
    /// The steps to the violation of the worst property, a line each.
    pub fn story(&self) -> Vec<String> {
        self.worst().story()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdict: Verdict<u8>) -> Report<u8, ()> {
        let (name, text, place, summary) = (None, String::new(), None, None);
        let kind = PropertyKind::Safety;
        Report::of(PropertyReport { name, kind, text, place, verdict, summary, figures: () }, 1)
    }

    #[test]
    fn the_worst_property_decides() {
        let holds = || report(Verdict::Holds(Coverage::Exhaustive));
        let unknown = || report(Verdict::Unknown(Limit::Time));
        assert_eq!(holds().verdict(), Verdict::Holds(Coverage::Exhaustive));
        let all = holds().and(report(Verdict::Fails(1))).and(unknown()).and(report(Verdict::Fails(2)));
        assert_eq!((all.verdict(), all.properties.len(), all.compilations), (Verdict::Fails(&1), 4, 4));
        assert_eq!(holds().and(unknown()).and(holds()).verdict(), Verdict::Unknown(Limit::Time));
    }
}
