//! Is a counterexample one? Both systems are asked again, with sets of states as plain sets, and by text instead of by
//! number: slow, short, and sharing nothing with the search but the two steppers.

use super::super::side::Labels;
use super::{Counterexample, Model, Problem, Why};
use elnath_kernel::{Stepper, System, Transition};
use std::collections::{BTreeSet, HashSet};

/// The counterexample that the search has found, if it is one: the left system goes through `steps`, each a state with
/// the label that leads to it, and then there is the problem.
pub(super) fn example(
    systems: [&dyn System; 2],
    steps: &[(String, Vec<u8>)],
    problem: Problem,
    labels: &Labels<'_>,
    model: Model,
    internal: &dyn Fn(&str) -> bool,
) -> Option<Counterexample> {
    let [mut left, mut right] = systems.map(|system| Asked { system, stepper: system.stepper(), internal });
    let mut at = left.initial();
    let mut run = Vec::new();
    let ((_, first), rest) = steps.split_first()?;
    if at != *first {
        return None;
    }
    for (label, state) in rest {
        let mut steps = left.steps(&at).into_iter();
        run.push(steps.find(|step| step.label == *label && step.to == *state)?);
        at.clone_from(state);
    }
    if let Problem::Label(label) = problem {
        run.push(left.steps(&at).into_iter().find(|step| step.label == labels.name(label))?);
    }
    // Every step but those that are not observed.
    let mut trace: Vec<String> = run.iter().map(|step| step.label.clone()).collect();
    trace.retain(|label| !model.weak || label != INTERNAL);
    let possible = match problem {
        Problem::Label(_) => trace.len() - 1,
        Problem::Refusal | Problem::Divergence => trace.len(),
    };
    let start = BTreeSet::from([right.initial()]);
    let mut set = if model.weak { right.closed(start) } else { start };
    for label in &trace[..possible] {
        if set.is_empty() || model.divergences && set.iter().any(|state| right.lasso(state).is_some()) {
            return None;
        }
        set = right.after(&set, label, model.weak);
    }
    if set.is_empty() || model.divergences && set.iter().any(|state| right.lasso(state).is_some()) {
        return None;
    }
    let why = match problem {
        Problem::Label(_) => {
            let label = trace.last()?;
            if !right.after(&set, label, model.weak).is_empty() {
                return None;
            }
            Why::Label
        }
        Problem::Refusal => {
            let offered = left.offers(&at)?;
            let allowed: BTreeSet<_> = set.iter().filter_map(|state| right.offers(state)).collect();
            if allowed.iter().any(|offers| offers.is_subset(&offered)) {
                return None;
            }
            let least = |offers: &&BTreeSet<String>| {
                !allowed.iter().any(|other| other != *offers && other.is_subset(offers))
            };
            let allowed =
                allowed.iter().filter(least).map(|offers| offers.iter().cloned().collect()).collect();
            Why::Refusal { offered: offered.into_iter().collect(), allowed }
        }
        Problem::Divergence => {
            let (stem, cycle) = left.lasso(&at)?;
            run.extend(stem);
            Why::Divergence { cycle: cycle.iter().map(|step| step.transition).collect() }
        }
    };
    let labels = run.iter().map(|step| step.label.clone()).collect();
    let run = run.iter().map(|step| step.transition).collect();
    Some(Counterexample { mover: 0, run, labels, trace, why })
}

/// What internal steps are called here, whatever they are called there.
const INTERNAL: &str = "i";

struct Step {
    transition: Transition,
    label: String,
    to: Vec<u8>,
}

/// A system that is asked again.
struct Asked<'a> {
    system: &'a dyn System,
    stepper: Box<dyn Stepper + 'a>,
    internal: &'a dyn Fn(&str) -> bool,
}

impl Asked<'_> {
    fn initial(&mut self) -> Vec<u8> {
        let mut state = Vec::new();
        self.stepper.initial(&mut state);
        state
    }

    fn steps(&mut self, state: &[u8]) -> Vec<Step> {
        let mut enabled = Vec::new();
        self.stepper.enabled(state, &mut enabled);
        let step = |transition| {
            let label = self.system.action_name(self.stepper.action(state, transition));
            let label = if (self.internal)(&label) { INTERNAL.to_owned() } else { label };
            let mut to = Vec::new();
            // What breaks a rule of the model is compared all the same.
            let _ = self.stepper.fire(state, transition, &mut to);
            Step { transition, label, to }
        };
        enabled.into_iter().map(step).collect()
    }

    /// These states and all that they reach inside.
    fn closed(&mut self, mut set: BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
        let mut open: Vec<Vec<u8>> = set.iter().cloned().collect();
        while let Some(state) = open.pop() {
            for step in self.steps(&state) {
                if step.label == INTERNAL && set.insert(step.to.clone()) {
                    open.push(step.to);
                }
            }
        }
        set
    }

    fn after(&mut self, set: &BTreeSet<Vec<u8>>, label: &str, weak: bool) -> BTreeSet<Vec<u8>> {
        let mut next = BTreeSet::new();
        for state in set {
            next.extend(self.steps(state).into_iter().filter(|step| step.label == label).map(|step| step.to));
        }
        if weak { self.closed(next) } else { next }
    }

    /// The labels of a stable state.
    fn offers(&mut self, state: &[u8]) -> Option<BTreeSet<String>> {
        let labels: BTreeSet<String> = self.steps(state).into_iter().map(|step| step.label).collect();
        Some(labels).filter(|labels| !labels.contains(INTERNAL))
    }

    /// Internal steps from a state to another, and from that one back to itself.
    fn lasso(&mut self, state: &[u8]) -> Option<(Vec<Step>, Vec<Step>)> {
        let mut seen = HashSet::from([state.to_vec()]);
        let mut path = vec![(state.to_vec(), self.inside(state), None)];
        while let Some((_, steps, _)) = path.last_mut() {
            let Some(step) = steps.pop() else {
                path.pop();
                continue;
            };
            let back = path.iter().position(|(state, _, _)| *state == step.to);
            if let Some(back) = back {
                let mut steps: Vec<Step> = path.into_iter().filter_map(|(_, _, by)| by).collect();
                steps.push(step);
                let cycle = steps.split_off(back);
                return Some((steps, cycle));
            }
            if seen.insert(step.to.clone()) {
                path.push((step.to.clone(), self.inside(&step.to), Some(step)));
            }
        }
        None
    }

    fn inside(&mut self, state: &[u8]) -> Vec<Step> {
        self.steps(state).into_iter().filter(|step| step.label == INTERNAL).collect()
    }
}
