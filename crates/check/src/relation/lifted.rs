//! A comparison by smaller systems, for every relation, with a difference between the systems that are asked about.
//!
//! If each system is bisimilar to a smaller one, by the relation that is asked about or a finer one, the smaller ones have the same answer: quotients of
//! graphs, networks of minimised components. A difference between them is one between classes of states. It is *lifted*: for each
//! state that is spoken of, a run of the small system leads there from the initial state, and the system itself can follow, with
//! internal steps within the class before each step that leaves it (the clause of branching bisimulation; no such steps for strong). Formulas are true of
//! all states of a class or of none, so any state of the class will do; a run that is not allowed, a refusal and a divergence are those of the
//! lifted run, which goes on to a stable state of the last class, if a refusal is the point.
//!
//! What is lifted is only a claim. It is confirmed on the systems as they are, as every difference is, so that
//! a mistake in a quotient, or a relation that is no congruence, cannot make a difference that is none.
//!
//! [`folded`](super::folded) is the same for bisimulations and graphs, where the rounds of the partition know a shallowest diagnosis.

use super::folded::Folded;
use super::formula;
use super::meter::{Meter, Spender};
use super::refinement::{Claim, confirmed};
use super::{
    Comparison, Counterexample, Difference, GameDiagnosis, RelationQuestion, Why, ask as ask_directly,
};
use crate::refusal::Refusal;
use elnath_kernel::{Budget, Limit, Relation, Stepper, System, Transition, Verdict};
use std::collections::{HashMap, HashSet, VecDeque};

/// The coarsest of three bisimulations that is finer than a relation, and a congruence for parallel composition, hiding and renaming.
pub fn finer_bisimulation(relation: Relation) -> Relation {
    use Relation::{
        Branching, DivergenceBranching, Failures, FailuresDivergences, ReadySimulation, Simulation, Strong,
        Trace,
    };
    match relation {
        Strong | Simulation | ReadySimulation | Trace => Strong,
        // What is refused is refused by stable states, and a state that is busy for ever is none.
        DivergenceBranching | Failures | FailuresDivergences => DivergenceBranching,
        _ => Branching,
    }
}

/// Asks the question of smaller systems that are bisimilar by [`finer_bisimulation`] to those that it is about.
///
/// # Errors
/// If the question cannot be answered this way, or if a difference does not stand up.
pub fn ask(
    question: &RelationQuestion<'_>,
    folded: &Folded<'_>,
    budget: &mut Budget<'_>,
) -> Result<Comparison, Refusal> {
    let [left, right] = folded.systems;
    let comparison = ask_directly(&RelationQuestion { left, right, ..*question }, budget)?;
    let mut meter = Meter::new(budget);
    let told = match comparison.verdict {
        Verdict::Fails(Difference::Game(diagnosis)) => {
            game(*diagnosis, question, folded, &mut meter).map(|told| told.map(Difference::Game))
        }
        Verdict::Fails(Difference::Observation(example)) => {
            observation(&example, question, folded, &mut meter).map(|told| told.map(Difference::Observation))
        }
        _ => return Ok(comparison),
    };
    let difference = match told {
        Ok(told) => told.ok_or(Refusal::NO_DIFFERENCE)?,
        Err(limit) => Difference::Untold(limit),
    };
    let peak_bytes = comparison.peak_bytes.max(meter.peak());
    Ok(Comparison { verdict: Verdict::Fails(difference), peak_bytes, ..comparison })
}

/// What was lifted and confirmed; nothing, if it was not.
type Lifted<T> = Result<Option<Box<T>>, Limit>;

fn game(
    diagnosis: GameDiagnosis,
    question: &RelationQuestion<'_>,
    folded: &Folded<'_>,
    meter: &mut Meter<'_, '_>,
) -> Lifted<GameDiagnosis> {
    let systems = [question.left, question.right];
    let mut lifted = [Vec::new(), Vec::new()];
    for side in [0, 1] {
        let mut lifter = Lifter::new(question, folded, side);
        for state in diagnosis.states(side) {
            let Some(state) = lifter.state(state, meter)? else { return Ok(None) };
            lifted[side].push(state);
        }
    }
    let diagnosis = diagnosis.about(lifted);
    let stands = formula::confirmed(&diagnosis, systems, question.internal, meter)?;
    Ok(stands.then(|| Box::new(diagnosis)))
}

fn observation(
    example: &Counterexample,
    question: &RelationQuestion<'_>,
    folded: &Folded<'_>,
    meter: &mut Meter<'_, '_>,
) -> Lifted<Counterexample> {
    let mover = example.mover;
    let mut lifter = Lifter::new(question, folded, mover);
    // The label that is the problem is the last step of the run.
    let steps = example.run.len() - usize::from(matches!(example.why, Why::Label));
    let Some(mut run) = lifter.run(&example.run[..steps], &example.labels, meter)? else { return Ok(None) };
    let claim = match &example.why {
        Why::Label => Claim::Label(&example.labels[steps]),
        Why::Refusal { .. } => Claim::Refusal,
        Why::Divergence { .. } => Claim::Divergence,
    };
    let from = run.last().expect("it begins somewhere").1.clone();
    match &claim {
        Claim::Label(label) => {
            // The step itself may need internal ones before it.
            let Some(mut more) = lifter.until(&from, &|step, _| step == Some(*label), meter)? else {
                return Ok(None);
            };
            more.pop();
            run.extend(more);
        }
        Claim::Refusal => {
            let Some(more) = lifter.until(&from, &|step, stable| step.is_none() && stable, meter)? else {
                return Ok(None);
            };
            run.extend(more);
        }
        Claim::Divergence => {}
    }
    let systems = [question.left, question.right];
    let systems = [systems[mover], systems[1 - mover]];
    let confirmed = confirmed(systems, &run, claim, question.relation, question.internal, meter)?;
    // Internal steps within classes do not count in the small system.
    let shortest = example.shortest && !lifter.stutters;
    Ok(confirmed.map(|example| Box::new(Counterexample { mover, shortest, ..example })))
}

/// What internal steps are called here.
const INTERNAL: &str = "i";

/// Steps, each a label and the state it leads to.
type Steps = Vec<(String, Vec<u8>)>;

/// Follows runs of a small system in the one that it stands for.
struct Lifter<'a> {
    side: usize,
    folded: &'a Folded<'a>,
    internal: &'a dyn Fn(&str) -> bool,
    /// Whether a class may be left after some internal steps within it.
    stutters: bool,
    system: &'a dyn System,
    stepper: Box<dyn Stepper + 'a>,
    small: Box<dyn Stepper + 'a>,
    /// The states of the small system, breadth first, as far as they were met: each with the one before it and the label of the step between.
    met: HashMap<Vec<u8>, u32>,
    tree: Vec<(u32, String, Vec<u8>)>,
    /// The first whose steps have not been made.
    next: usize,
    /// By state of the small system: a state that it stands for.
    lifted: HashMap<u32, Vec<u8>>,
    /// Bytes of these tables, about.
    bytes: usize,
}

impl<'a> Lifter<'a> {
    fn new(question: &RelationQuestion<'a>, folded: &'a Folded<'a>, side: usize) -> Self {
        let system = [question.left, question.right][side];
        let mut stepper = system.stepper();
        let mut small = folded.systems[side].stepper();
        let (mut initial, mut first) = (Vec::new(), Vec::new());
        stepper.initial(&mut initial);
        small.initial(&mut first);
        Self {
            side,
            folded,
            internal: question.internal,
            stutters: finer_bisimulation(question.relation) != Relation::Strong,
            system,
            stepper,
            small,
            met: HashMap::from([(first.clone(), 0)]),
            tree: vec![(0, String::new(), first)],
            next: 0,
            lifted: HashMap::from([(0, initial)]),
            bytes: 0,
        }
    }

    /// A reachable state that a state of the small system stands for.
    fn state(&mut self, small: &[u8], meter: &mut Meter<'_, '_>) -> Result<Option<Vec<u8>>, Limit> {
        let Some(mut at) = self.found(small, meter)? else { return Ok(None) };
        let mut path = Vec::new();
        while !self.lifted.contains_key(&at) {
            path.push(at);
            at = self.tree[at as usize].0;
        }
        while let Some(next) = path.pop() {
            let (_, label, to) = self.tree[next as usize].clone();
            let from = self.lifted[&at].clone();
            let Some(steps) = self.step(&from, &label, &to, meter)? else { return Ok(None) };
            let state = steps.into_iter().next_back().map_or(from, |(_, state)| state);
            self.bytes += state.len() + PER_STATE;
            self.lifted.insert(next, state);
            at = next;
        }
        Ok(Some(self.lifted[&at].clone()))
    }

    /// The number of a state of the small system, which is explored as far as it takes.
    fn found(&mut self, small: &[u8], meter: &mut Meter<'_, '_>) -> Result<Option<u32>, Limit> {
        let mut enabled = Vec::new();
        loop {
            if let Some(&number) = self.met.get(small) {
                return Ok(Some(number));
            }
            let Some((_, _, from)) = self.tree.get(self.next) else { return Ok(None) };
            let from = from.clone();
            self.small.enabled(&from, &mut enabled);
            meter.work(1 + enabled.len())?;
            for &t in &enabled {
                let label = self.label(self.folded.systems[self.side], Stepping::Small, &from, t);
                let mut to = Vec::new();
                let _ = self.small.fire(&from, t, &mut to);
                if !self.met.contains_key(&to) {
                    self.bytes += 2 * to.len() + label.len() + PER_STATE;
                    self.met.insert(to.clone(), self.tree.len() as u32);
                    self.tree.push((self.next as u32, label, to));
                }
            }
            self.next += 1;
            meter.tick(Spender::Diagnosis, self.bytes, 0)?;
        }
    }

    /// The states of a run that follows one of the small system, each with the label of the step before it; the initial one first.
    fn run(
        &mut self,
        steps: &[Transition],
        labels: &[String],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Steps>, Limit> {
        let mut at = self.lifted[&0].clone();
        let mut small = self.tree[0].2.clone();
        let mut run = vec![(String::new(), at.clone())];
        for (&t, label) in steps.iter().zip(labels) {
            let mut to = Vec::new();
            let _ = self.small.fire(&small, t, &mut to);
            let Some(more) = self.step(&at, label, &to, meter)? else { return Ok(None) };
            run.extend(more);
            at.clone_from(&run.last().expect("it begins somewhere").1);
            small = to;
        }
        Ok(Some(run))
    }

    /// Steps that follow one of the small system, from a state of the class that it leaves to one of the class it leads to.
    fn step(
        &mut self,
        from: &[u8],
        label: &str,
        to: &[u8],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Steps>, Limit> {
        if self.stutters && label == INTERNAL && self.class(from) == to {
            return Ok(Some(Vec::new()));
        }
        self.search(from, &|step, class, _| step == Some(label) && class == to, meter)
    }

    /// Steps within a class until a step, or a state, is as wanted.
    fn until(
        &mut self,
        from: &[u8],
        wanted: &dyn Fn(Option<&str>, bool) -> bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Steps>, Limit> {
        self.search(from, &|step, _, stable| wanted(step, stable), meter)
    }

    /// Breadth first through internal steps within a class: a state that is wanted (no step, its class, whether it is stable), or a step that is
    /// (its label, the class it leads to).
    fn search(
        &mut self,
        from: &[u8],
        wanted: &Wanted<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Steps>, Limit> {
        let own = self.class(from);
        let mut seen = HashSet::from([from.to_vec()]);
        // Each with the place of the one before it.
        let mut queue: Vec<(usize, String, Vec<u8>)> = vec![(0, String::new(), from.to_vec())];
        let mut open = VecDeque::from([0]);
        let mut enabled = Vec::new();
        while let Some(at) = open.pop_front() {
            let state = queue[at].2.clone();
            self.stepper.enabled(&state, &mut enabled);
            meter.work(1 + enabled.len())?;
            let mut steps = Vec::new();
            for &t in &enabled {
                let label = self.label(self.system, Stepping::System, &state, t);
                let mut to = Vec::new();
                // What breaks a rule of the model is compared all the same.
                let _ = self.stepper.fire(&state, t, &mut to);
                steps.push((label, to));
            }
            let stable = steps.iter().all(|(label, _)| label != INTERNAL);
            if wanted(None, &own, stable) {
                return Ok(Some(path(&queue, at)));
            }
            for (label, to) in steps {
                let class = self.class(&to);
                if wanted(Some(&label), &class, stable) {
                    let mut steps = path(&queue, at);
                    steps.push((label, to));
                    return Ok(Some(steps));
                }
                if self.stutters && label == INTERNAL && class == own && seen.insert(to.clone()) {
                    open.push_back(queue.len());
                    queue.push((at, label, to));
                }
            }
            let bytes = queue.len() * (2 * from.len() + PER_STATE);
            meter.tick(Spender::Diagnosis, self.bytes + bytes, 0)?;
        }
        Ok(None)
    }

    fn class(&self, state: &[u8]) -> Vec<u8> {
        let mut class = Vec::new();
        (self.folded.class)(self.side, state, &mut class);
        class
    }

    /// A label, internal ones under one name.
    fn label(&mut self, system: &dyn System, stepping: Stepping, state: &[u8], t: Transition) -> String {
        let stepper = match stepping {
            Stepping::Small => &mut self.small,
            Stepping::System => &mut self.stepper,
        };
        let label = system.action_name(stepper.action(state, t));
        if (self.internal)(&label) { INTERNAL.to_owned() } else { label }
    }
}

/// Whether a state or a step is wanted: the step's label, the class it leads to, and whether the state is stable.
type Wanted<'w> = dyn Fn(Option<&str>, &[u8], bool) -> bool + 'w;

/// Whose step it is.
#[derive(Clone, Copy)]
enum Stepping {
    Small,
    System,
}

/// The steps to a state in a queue, each entry of which knows the one before it.
fn path(queue: &[(usize, String, Vec<u8>)], mut at: usize) -> Steps {
    let mut steps = Vec::new();
    while at != 0 {
        let (before, label, state) = &queue[at];
        steps.push((label.clone(), state.clone()));
        at = *before;
    }
    steps.reverse();
    steps
}

/// What a state in a table occupies beside its bytes, about.
const PER_STATE: usize = 96;
