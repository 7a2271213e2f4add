//! A formula that holds in one system and not in the other, and its evaluation, which is how diagnoses are checked.
//!
//! Every exchange of a [diagnosis](super::diagnosis) is a formula of Hennessy and Milner's logic, true of the state that
//! moves and false of the one that answers: *there is a step with this label to a state of which all the formulas hold that
//! tell it from where the answers lead.* A formula of a later exchange, in which the other side moves, is negated. Formulas
//! share their parts, as exchanges do; written out they may be exponentially long.
//!
//! The step is that of the relation ("tau*.a", and so on). For the branching relations the modality is binary: internal steps
//! lead to a state of which the first formulas hold, and there a step leads to one of which the others hold; for the internal
//! action, these may hold there already. (Not only *here* already, or bisimilar states could be told apart: of two classes, the first of
//! which leads to the second inside, one state in the second may have an internal step within it and another none.)
//!
//! # Why evaluating it checks everything
//!
//! Related states satisfy the same formulas (or the lower one's, if nothing is negated): that is the easy half of Hennessy and
//! Milner's theorem, and true whatever the engines do. So if the formula is true of one initial state and false of the other,
//! they are not related. The evaluation knows nothing of the engines: it has steppers of its own, hash maps, no components
//! and no sorted lists, and looks for internal steps by searching. Each exchange is evaluated on its own two states, so that
//! every line of a story is confirmed and not only the verdict.
//!
//! # What it costs
//!
//! Formulas are evaluated a set of states at a time: first, from the whole to its parts, of which states each must be
//! known; then, from the parts to the whole, of which of these it holds. A formula costs one walk over what can be reached
//! by its step from the states that are asked about, so all take at most as many transitions as there are in the product of diagnosis and
//! systems, and a sequence takes as many as it is long. All of it counts against the limits of the comparison.

use super::diagnosis::{Exchange, GameDiagnosis, LabelKind};
use super::meter::{Meter, Spender};
use super::side::{Style, TAU};
use elnath_kernel::{Limit, Stepper, System, Transition};
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// Whether every exchange is as it says, and the first one is about the initial states.
///
/// # Errors
/// If a limit is reached before that is known.
pub(crate) fn confirmed(
    diagnosis: &GameDiagnosis,
    systems: [&dyn System; 2],
    internal: &dyn Fn(&str) -> bool,
    meter: &mut Meter<'_, '_>,
) -> Result<bool, Limit> {
    let exchanges = &diagnosis.exchanges;
    let descends =
        |(at, exchange): (usize, &Exchange)| exchange.answers.iter().all(|answer| answer.then > at);
    if !exchanges.iter().enumerate().all(descends) {
        return Ok(false);
    }
    for (side, system) in systems.into_iter().enumerate() {
        let mut world = World::new(system, diagnosis, internal);
        let mut asked: Vec<Vec<u32>> = exchanges
            .iter()
            .map(|exchange| vec![world.number(diagnosis.state(side, exchange.states[side]))])
            .collect();
        let mut initial = Vec::new();
        world.stepper.initial(&mut initial);
        let initial = world.number(&initial);
        let own: Vec<u32> = asked.iter().map(|asked| asked[0]).collect();
        asked[0].push(initial);
        let known = world.evaluate(asked, meter)?;
        let as_told = |at: usize, state: u32| known[at].holds(state) == (side == exchanges[at].mover);
        if !as_told(0, initial) || !own.into_iter().enumerate().all(|(at, state)| as_told(at, state)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Of which states a formula holds, as far as somebody has asked.
struct Known {
    /// Ascending.
    states: Vec<u32>,
    values: Vec<bool>,
}

impl Known {
    fn holds(&self, state: u32) -> bool {
        self.values[self.states.binary_search(&state).expect("it was asked for")]
    }
}

/// A system as formulas see it.
struct World<'a> {
    system: &'a dyn System,
    stepper: Box<dyn Stepper + 'a>,
    diagnosis: &'a GameDiagnosis,
    internal: &'a dyn Fn(&str) -> bool,
    numbers: HashMap<Rc<[u8]>, u32>,
    states: Vec<Rc<[u8]>>,
    /// By state. None of the diagnosis's labels is `u32::MAX`.
    steps: Vec<Option<Steps>>,
    cycles: HashMap<u32, bool>,
    /// Bytes of states and steps, about.
    bytes: usize,
    /// Bytes of what is asked for and known.
    asked_bytes: usize,
}

/// Labels and where they lead.
type Steps = Rc<[(u32, u32)]>;

impl<'a> World<'a> {
    fn new(system: &'a dyn System, diagnosis: &'a GameDiagnosis, internal: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            system,
            stepper: system.stepper(),
            diagnosis,
            internal,
            numbers: HashMap::new(),
            states: Vec::new(),
            steps: Vec::new(),
            cycles: HashMap::new(),
            bytes: diagnosis.bytes(),
            asked_bytes: 0,
        }
    }

    fn number(&mut self, state: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(state) {
            return number;
        }
        let number = self.states.len() as u32;
        let state: Rc<[u8]> = state.into();
        // The bytes with two counters, the two entries that point to them, and a slot for steps.
        self.bytes += state.len() + 96;
        self.states.push(Rc::clone(&state));
        self.steps.push(None);
        self.numbers.insert(state, number);
        number
    }

    /// All transitions of a state.
    fn steps(&mut self, state: u32, meter: &mut Meter<'_, '_>) -> Result<Steps, Limit> {
        if let Some(steps) = &self.steps[state as usize] {
            meter.work(steps.len())?;
            return Ok(Rc::clone(steps));
        }
        let bytes = Rc::clone(&self.states[state as usize]);
        let (mut enabled, mut target, mut steps) = (Vec::<Transition>::new(), Vec::new(), Vec::new());
        self.stepper.enabled(&bytes, &mut enabled);
        for t in enabled {
            // A step that breaks a rule of the model is a step.
            let _ = self.stepper.fire(&bytes, t, &mut target);
            let name = self.system.action_name(self.stepper.action(&bytes, t));
            let label = if (self.internal)(&name) { Some(TAU) } else { self.diagnosis.labels.find(&name) };
            let target = self.number(&target);
            steps.push((label.unwrap_or(u32::MAX), target));
        }
        let steps: Steps = steps.into();
        self.bytes += 8 * steps.len() + 16;
        self.steps[state as usize] = Some(Rc::clone(&steps));
        meter.work(steps.len())?;
        meter.tick(Spender::Diagnosis, self.bytes + self.asked_bytes, 0)?;
        Ok(steps)
    }

    /// Of which states the formula of each exchange holds: at least of those that are asked about.
    fn evaluate(&mut self, asked: Vec<Vec<u32>>, meter: &mut Meter<'_, '_>) -> Result<Vec<Known>, Limit> {
        let mut known: Vec<Known> =
            asked.into_iter().map(|states| Known { states, values: Vec::new() }).collect();
        for at in 0..known.len() {
            let mut states = std::mem::take(&mut known[at].states);
            states.sort_unstable();
            states.dedup();
            states.shrink_to_fit();
            let [before, after] = self.reached(at, &states, meter)?;
            for (then, disputes_before) in parts(&self.diagnosis.exchanges[at]) {
                let needed = if disputes_before { &before } else { &after };
                let states = &mut known[then].states;
                let before = states.len();
                states.extend_from_slice(needed);
                if states.len() > 2 * self.states.len() + 64 {
                    states.sort_unstable();
                    states.dedup();
                }
                // A number and a value each.
                self.asked_bytes = self.asked_bytes + 5 * states.len() - 5 * before;
            }
            known[at].states = states;
            meter.tick(Spender::Diagnosis, self.bytes + self.asked_bytes, 0)?;
        }
        for at in (0..known.len()).rev() {
            let values = self.values(at, &known, meter)?;
            known[at].values = values;
        }
        Ok(known)
    }

    /// The states of which must be known whether what is asked of the state before the step of a formula holds, and of the one
    /// after it, to know whether the formula holds of some states.
    fn reached(
        &mut self,
        at: usize,
        states: &[u32],
        meter: &mut Meter<'_, '_>,
    ) -> Result<[Vec<u32>; 2], Limit> {
        let label = self.diagnosis.exchanges[at].label;
        let kind = self.diagnosis.kind(label);
        Ok(match self.diagnosis.style {
            Style::Strong => [Vec::new(), self.after(states, label, meter)?],
            Style::Weak | Style::Delay if kind == LabelKind::Internal => {
                [Vec::new(), self.inside(states, meter)?]
            }
            Style::TauStar | Style::Delay => {
                let inside = self.inside(states, meter)?;
                [Vec::new(), self.after(&inside, label, meter)?]
            }
            Style::Weak => {
                let inside = self.inside(states, meter)?;
                let after = self.after(&inside, label, meter)?;
                [Vec::new(), self.inside(&after, meter)?]
            }
            Style::Branching { .. } => {
                let inside = self.inside(states, meter)?;
                let mut after = match kind {
                    LabelKind::Divergence => inside.clone(),
                    _ => self.after(&inside, label, meter)?,
                };
                if kind == LabelKind::Internal {
                    after.extend_from_slice(&inside);
                }
                [inside, after]
            }
        })
    }

    /// Whether the formula of an exchange holds, for each state that is asked about.
    fn values(&mut self, at: usize, known: &[Known], meter: &mut Meter<'_, '_>) -> Result<Vec<bool>, Limit> {
        let exchange = &self.diagnosis.exchanges[at];
        let (label, kind) = (exchange.label, self.diagnosis.kind(exchange.label));
        let states = &known[at].states;
        let parts = parts(exchange);
        let all = |state: u32, disputes_before: bool| {
            parts.iter().filter(|&&(_, before)| before == disputes_before).all(|&(then, _)| {
                let same = self.diagnosis.exchanges[then].mover == exchange.mover;
                known[then].holds(state) == same
            })
        };
        let (before, after) = (|state: u32| all(state, true), |state: u32| all(state, false));
        match self.diagnosis.style {
            Style::Strong => {
                states.iter().map(|&state| self.some_step(state, label, &after, meter)).collect()
            }
            Style::Weak | Style::Delay if kind == LabelKind::Internal => {
                self.some_inside(states, |_, state, _| Ok(after(state)), meter)
            }
            Style::TauStar | Style::Delay => self.some_inside(
                states,
                |world, state, meter| world.some_step(state, label, &after, meter),
                meter,
            ),
            Style::Weak => {
                let inside = self.inside(states, meter)?;
                let targets = self.after(&inside, label, meter)?;
                let values = self.some_inside(&targets, |_, state, _| Ok(after(state)), meter)?;
                let good: HashMap<u32, bool> = targets.into_iter().zip(values).collect();
                let after = |state: u32| good[&state];
                self.some_inside(
                    states,
                    |world, state, meter| world.some_step(state, label, &after, meter),
                    meter,
                )
            }
            Style::Branching { .. } => {
                let own = |world: &mut Self, state: u32, meter: &mut Meter<'_, '_>| {
                    Ok(before(state)
                        && match kind {
                            LabelKind::Divergence => after(state) && world.is_on_cycle(state, meter)?,
                            LabelKind::Internal if after(state) => true,
                            _ => world.some_step(state, label, &after, meter)?,
                        })
                };
                self.some_inside(states, own, meter)
            }
        }
    }

    /// Whether some step with this label leads to a good state.
    fn some_step(
        &mut self,
        state: u32,
        label: u32,
        good: &dyn Fn(u32) -> bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        Ok(self.steps(state, meter)?.iter().any(|&(step, target)| step == label && good(target)))
    }

    /// The states to which a label leads from some states, each once.
    fn after(&mut self, states: &[u32], label: u32, meter: &mut Meter<'_, '_>) -> Result<Vec<u32>, Limit> {
        let mut after = Vec::new();
        for &state in states {
            let steps = self.steps(state, meter)?;
            after.extend(steps.iter().filter(|&&(step, _)| step == label).map(|&(_, target)| target));
        }
        after.sort_unstable();
        after.dedup();
        Ok(after)
    }

    /// Notes that so many bytes are held for a moment, beside what is kept.
    fn hold(&self, bytes: usize, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        meter.tick(Spender::Diagnosis, self.bytes + self.asked_bytes + bytes, 0)
    }

    /// The states reached inside from some states, these included and first.
    fn inside(&mut self, states: &[u32], meter: &mut Meter<'_, '_>) -> Result<Vec<u32>, Limit> {
        let mut reached = states.to_vec();
        let mut seen: HashMap<u32, ()> = states.iter().map(|&state| (state, ())).collect();
        let (mut next, mut noted) = (0, 0);
        while let Some(&at) = reached.get(next) {
            next += 1;
            if seen.capacity() > noted {
                noted = seen.capacity();
                self.hold(4 * reached.capacity() + 6 * noted, meter)?;
            }
            for &(label, target) in self.steps(at, meter)?.iter() {
                if label == TAU && seen.insert(target, ()).is_none() {
                    reached.push(target);
                }
            }
        }
        Ok(reached)
    }

    /// For each of some states, whether it reaches inside a state that is good itself.
    fn some_inside(
        &mut self,
        states: &[u32],
        mut good: impl FnMut(&mut Self, u32, &mut Meter<'_, '_>) -> Result<bool, Limit>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<bool>, Limit> {
        let inside = self.inside(states, meter)?;
        // The states themselves, their places and their values.
        let beside = 20 * inside.len();
        self.hold(beside, meter)?;
        let places: HashMap<u32, u32> = (0..).zip(&inside).map(|(place, &state)| (state, place)).collect();
        // Backwards from those that are good.
        let mut sources: Vec<(u32, u32)> = Vec::new();
        let mut values = vec![false; inside.len()];
        let mut pending = Vec::new();
        for (place, &state) in (0..).zip(&inside) {
            for &(label, target) in self.steps(state, meter)?.iter() {
                if label == TAU {
                    sources.push((places[&target], place));
                }
            }
            if good(self, state, meter)? {
                values[place as usize] = true;
                pending.push(place);
            }
        }
        self.hold(beside + 8 * sources.capacity(), meter)?;
        sources.sort_unstable();
        while let Some(place) = pending.pop() {
            let first = sources.partition_point(|&(target, _)| target < place);
            for &(_, source) in sources[first..].iter().take_while(|&&(target, _)| target == place) {
                if !std::mem::replace(&mut values[source as usize], true) {
                    pending.push(source);
                }
            }
        }
        values.truncate(states.len());
        Ok(values)
    }

    fn is_on_cycle(&mut self, state: u32, meter: &mut Meter<'_, '_>) -> Result<bool, Limit> {
        if let Some(&known) = self.cycles.get(&state) {
            return Ok(known);
        }
        let next = self.after(&[state], TAU, meter)?;
        let found = self.inside(&next, meter)?.contains(&state);
        self.cycles.insert(state, found);
        Ok(found)
    }
}

impl GameDiagnosis {
    /// The formula in writing: definitions of parts that occur several times or are long, in an order in which each uses only
    /// earlier ones, and last the formula itself. It is true of the left system and false of the right one.
    pub fn formula(&self) -> Vec<(String, String)> {
        /// What is longer gets a name.
        const LONG: usize = 72;
        let mut uses = vec![0u32; self.exchanges.len()];
        for exchange in &self.exchanges {
            for (then, _) in parts(exchange) {
                uses[then] += 1;
            }
        }
        let mut definitions = Vec::new();
        let mut texts = vec![String::new(); self.exchanges.len()];
        for (at, exchange) in self.exchanges.iter().enumerate().rev() {
            let conjunction = |before: bool| {
                let part = |then: usize| {
                    let negated = self.exchanges[then].mover != exchange.mover;
                    if negated { format!("not {}", texts[then]) } else { texts[then].clone() }
                };
                let parts = parts(exchange).into_iter().filter(|&(_, about)| about == before);
                let all: Vec<String> = parts.map(|(then, _)| part(then)).collect();
                match &all[..] {
                    [] => "true".to_owned(),
                    [one] => one.clone(),
                    _ => format!("({})", all.join(" and ")),
                }
            };
            let text = self.modality(exchange.label, &conjunction(true), &conjunction(false));
            texts[at] = if at > 0 && (uses[at] > 1 || text.len() > LONG) {
                let name = format!("F{}", definitions.len() + 1);
                definitions.push((name.clone(), text));
                name
            } else {
                text
            };
        }
        let whole =
            if self.exchanges[0].mover == 0 { texts.swap_remove(0) } else { format!("not {}", texts[0]) };
        definitions.push(("F".to_owned(), whole));
        definitions
    }

    fn modality(&self, label: u32, before: &str, after: &str) -> String {
        let name = match self.kind(label) {
            LabelKind::Internal => "tau".to_owned(),
            LabelKind::Divergence => "diverges".to_owned(),
            LabelKind::Visible => format!("{:?}", self.label(label)),
        };
        let internal = self.kind(label) == LabelKind::Internal;
        let mut out = String::new();
        let _ = match self.style {
            Style::Strong => write!(out, "<{name}>{after}"),
            Style::Weak if internal => write!(out, "<<>>{after}"),
            Style::Weak => write!(out, "<<{name}>>{after}"),
            Style::Delay if internal => write!(out, "<tau*>{after}"),
            Style::TauStar | Style::Delay => write!(out, "<tau*.{name}>{after}"),
            Style::Branching { .. } => write!(out, "({before} <{name}> {after})"),
        };
        out
    }

    /// What the modality of the formula means, in words.
    pub fn modality_in_words(&self) -> &'static str {
        match self.style {
            Style::Strong => "<a>F: some step a leads to a state of which F holds",
            Style::TauStar => "<tau*.a>F: internal steps and then a lead to a state of which F holds",
            Style::Weak => {
                "<<a>>F: internal steps, a and internal steps lead to a state of which F holds; <<>>F: internal steps do"
            }
            Style::Delay => {
                "<tau*.a>F: internal steps and then a lead to a state of which F holds; <tau*>F: internal steps do"
            }
            Style::Branching { .. } => {
                "(F <a> G): internal steps lead to a state of which F holds, and a from there to one of which G holds; \
                 (F <tau> G) also if both hold there"
            }
        }
    }
}

/// The exchanges that the answers lead to, each once, and whether they are about the state before the last step.
fn parts(exchange: &Exchange) -> Vec<(usize, bool)> {
    let mut parts: Vec<(usize, bool)> =
        exchange.answers.iter().map(|answer| (answer.then, answer.disputes_before)).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}
