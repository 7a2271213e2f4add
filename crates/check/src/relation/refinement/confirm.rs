//! Is a counterexample one? Both systems are asked again, with sets of states as plain sets, and by text instead of by
//! number: slow, short, and sharing nothing with the search but the two steppers. What it takes counts against the limits of
//! the comparison.

use super::super::meter::{Meter, Spender};
use super::{Claim, Counterexample, Model, Why};
use elnath_kernel::{Limit, Stepper, System, Transition};
use std::collections::{BTreeSet, HashMap};

/// Internal steps to a state, and from there back to it.
type SilentLasso = (Vec<Step>, Vec<Step>);

/// The counterexample that is claimed, if it is one: the left system goes through `steps`, each a state with
/// the label that leads to it, and then there is the problem.
///
/// # Errors
/// If a limit is reached before that is known.
pub(super) fn example(
    systems: [&dyn System; 2],
    steps: &[(String, Vec<u8>)],
    claim: Claim<'_>,
    model: Model,
    internal: &dyn Fn(&str) -> bool,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Counterexample>, Limit> {
    // The states of the run stay; sets of states come on top of them.
    let kept = steps.iter().map(|(label, state)| label.len() + state.len() + PER_STATE).sum();
    let [mut left, mut right] =
        systems.map(|system| Asked { system, stepper: system.stepper(), internal, kept });
    let mut at = left.initial();
    let mut run = Vec::new();
    let Some(((_, first), rest)) = steps.split_first() else { return Ok(None) };
    if at != *first {
        return Ok(None);
    }
    for (label, state) in rest {
        let mut steps = left.steps(&at, meter)?.into_iter();
        let Some(step) = steps.find(|step| step.label == *label && step.to == *state) else {
            return Ok(None);
        };
        run.push(step);
        at.clone_from(state);
    }
    if let Claim::Label(label) = claim {
        let mut steps = left.steps(&at, meter)?.into_iter();
        let Some(step) = steps.find(|step| step.label == label) else { return Ok(None) };
        run.push(step);
    }
    // Every step but those that are not observed.
    let mut trace: Vec<String> = run.iter().map(|step| step.label.clone()).collect();
    trace.retain(|label| !model.weak || label != INTERNAL);
    let possible = match claim {
        Claim::Label(_) => trace.len() - 1,
        Claim::Refusal | Claim::Divergence => trace.len(),
    };
    let start = BTreeSet::from([right.initial()]);
    let mut set = if model.weak { right.closed(start, meter)? } else { start };
    for label in trace[..possible].iter().map(Some).chain([None]) {
        if set.is_empty() || model.divergences && right.lasso(&set, meter)?.is_some() {
            return Ok(None);
        }
        if let Some(label) = label {
            set = right.after(&set, label, model.weak, meter)?;
        }
    }
    let why = match claim {
        Claim::Label(_) => {
            let label = trace.last().expect("a label is the problem");
            if !right.after(&set, label, model.weak, meter)?.is_empty() {
                return Ok(None);
            }
            Why::Label
        }
        Claim::Refusal => {
            let Some(offered) = left.offers(&at, meter)? else { return Ok(None) };
            let mut allowed = BTreeSet::new();
            for state in &set {
                allowed.extend(right.offers(state, meter)?);
            }
            if allowed.iter().any(|offers| offers.is_subset(&offered)) {
                return Ok(None);
            }
            let least = |offers: &&BTreeSet<String>| {
                !allowed.iter().any(|other| other != *offers && other.is_subset(offers))
            };
            let allowed =
                allowed.iter().filter(least).map(|offers| offers.iter().cloned().collect()).collect();
            Why::Refusal { offered: offered.into_iter().collect(), allowed }
        }
        Claim::Divergence => {
            let Some((stem, cycle)) = left.lasso([&at], meter)? else { return Ok(None) };
            run.extend(stem);
            Why::Divergence { cycle: cycle.iter().map(|step| step.transition).collect() }
        }
    };
    let labels = run.iter().map(|step| step.label.clone()).collect();
    let run = run.iter().map(|step| step.transition).collect();
    Ok(Some(Counterexample { mover: 0, run, labels, trace, why, shortest: true }))
}

/// What internal steps are called here, whatever they are called there.
const INTERNAL: &str = "i";
/// What a state in a set occupies beside its bytes, about.
const PER_STATE: usize = 64;

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
    /// Bytes of what stays while sets come and go.
    kept: usize,
}

type States = BTreeSet<Vec<u8>>;

impl Asked<'_> {
    fn initial(&mut self) -> Vec<u8> {
        let mut state = Vec::new();
        self.stepper.initial(&mut state);
        state
    }

    fn steps(&mut self, state: &[u8], meter: &mut Meter<'_, '_>) -> Result<Vec<Step>, Limit> {
        let mut enabled = Vec::new();
        self.stepper.enabled(state, &mut enabled);
        meter.work(1 + enabled.len())?;
        let step = |transition| {
            let label = self.system.action_name(self.stepper.action(state, transition));
            let label = if (self.internal)(&label) { INTERNAL.to_owned() } else { label };
            let mut to = Vec::new();
            // What breaks a rule of the model is compared all the same.
            let _ = self.stepper.fire(state, transition, &mut to);
            Step { transition, label, to }
        };
        Ok(enabled.into_iter().map(step).collect())
    }

    /// Notes that so many states are held, of about this size.
    fn hold(&self, states: usize, state: &[u8], meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        meter.tick(Spender::Diagnosis, self.kept + states * (state.len() + PER_STATE), 0)
    }

    /// These states and all that they reach inside.
    fn closed(&mut self, mut set: States, meter: &mut Meter<'_, '_>) -> Result<States, Limit> {
        let mut open: Vec<Vec<u8>> = set.iter().cloned().collect();
        while let Some(state) = open.pop() {
            for step in self.steps(&state, meter)? {
                if step.label == INTERNAL && set.insert(step.to.clone()) {
                    open.push(step.to);
                }
            }
            self.hold(2 * (set.len() + open.len()), &state, meter)?;
        }
        Ok(set)
    }

    fn after(
        &mut self,
        set: &States,
        label: &str,
        weak: bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<States, Limit> {
        let mut next = BTreeSet::new();
        for state in set {
            let steps = self.steps(state, meter)?.into_iter().filter(|step| step.label == label);
            next.extend(steps.map(|step| step.to));
            self.hold(set.len() + next.len(), state, meter)?;
        }
        if weak { self.closed(next, meter) } else { Ok(next) }
    }

    /// The labels of a stable state.
    fn offers(&mut self, state: &[u8], meter: &mut Meter<'_, '_>) -> Result<Option<BTreeSet<String>>, Limit> {
        let labels: BTreeSet<String> = self.steps(state, meter)?.into_iter().map(|step| step.label).collect();
        Ok(Some(labels).filter(|labels| !labels.contains(INTERNAL)))
    }

    /// Internal steps from one of some states to another, and from that one back to itself.
    fn lasso<'x>(
        &mut self,
        starts: impl IntoIterator<Item = &'x Vec<u8>>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<SilentLasso>, Limit> {
        // By state that was met: its place on the path, as long as it is there.
        let mut seen: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
        for start in starts {
            if seen.contains_key(start) {
                continue;
            }
            seen.insert(start.clone(), Some(0));
            let mut path = vec![(start.clone(), self.inside(start, meter)?, None)];
            while let Some((state, steps, _)) = path.last_mut() {
                let Some(step) = steps.pop() else {
                    seen.insert(std::mem::take(state), None);
                    path.pop();
                    continue;
                };
                match seen.get(&step.to) {
                    Some(&Some(back)) => {
                        let mut steps: Vec<Step> = path.into_iter().filter_map(|(_, _, by)| by).collect();
                        steps.push(step);
                        let cycle = steps.split_off(back);
                        return Ok(Some((steps, cycle)));
                    }
                    Some(None) => {}
                    None => {
                        seen.insert(step.to.clone(), Some(path.len()));
                        self.hold(2 * seen.len() + 2 * path.len(), &step.to, meter)?;
                        let inside = self.inside(&step.to, meter)?;
                        path.push((step.to.clone(), inside, Some(step)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn inside(&mut self, state: &[u8], meter: &mut Meter<'_, '_>) -> Result<Vec<Step>, Limit> {
        Ok(self.steps(state, meter)?.into_iter().filter(|step| step.label == INTERNAL).collect())
    }
}
