//! A formula that holds in one system and not in the other, and its evaluation, which is how diagnoses are checked.
//!
//! Every exchange of a [diagnosis](super::diagnosis) is a formula of Hennessy and Milner's logic, true of the state that
//! moves and false of the one that answers: *there is a step with this label to a state of which all the formulas hold that
//! tell it from where the answers lead.* A formula of a later exchange, in which the other side moves, is negated. Formulas
//! share their parts, as exchanges do; written out they may be exponentially long.
//!
//! The step is that of the relation ("tau*.a", and so on). For the branching relations the modality is binary: internal steps
//! lead to a state of which the first formulas hold, and there a step leads to one of which the others hold; for the internal
//! action, these may hold here already.
//!
//! # Why evaluating it checks everything
//!
//! Related states satisfy the same formulas (or the lower one's, if nothing is negated): that is the easy half of Hennessy and
//! Milner's theorem, and true whatever the engines do. So if the formula is true of one initial state and false of the other,
//! they are not related. The evaluation knows nothing of the engines: it has steppers of its own, hash maps, no components
//! and no sorted lists, and looks for internal steps by searching. Each exchange is evaluated on its own two states, so that
//! every line of a story is confirmed and not only the verdict.

use super::diagnosis::{Exchange, GameDiagnosis, LabelKind};
use super::side::Style;
use elnath_kernel::{Stepper, System, Transition};
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// Whether every exchange is as it says, and the first one is about the initial states.
pub(crate) fn confirmed(
    diagnosis: &GameDiagnosis,
    systems: [&dyn System; 2],
    internal: &dyn Fn(&str) -> bool,
) -> bool {
    let mut worlds = systems.map(|system| World::new(system, diagnosis, internal));
    let exchanges = &diagnosis.exchanges;
    let each = exchanges.iter().enumerate().all(|(at, exchange)| {
        [0, 1].into_iter().all(|side| {
            let state = worlds[side].number(diagnosis.state(side, exchange.states[side]));
            worlds[side].holds(at, state) == (side == exchange.mover)
        })
    });
    let descends =
        |(at, exchange): (usize, &Exchange)| exchange.answers.iter().all(|answer| answer.then > at);
    each && exchanges.iter().enumerate().all(descends)
        && [0, 1].into_iter().all(|side| {
            let mut initial = Vec::new();
            systems[side].stepper().initial(&mut initial);
            let initial = worlds[side].number(&initial);
            worlds[side].holds(0, initial) == (side == exchanges[0].mover)
        })
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
    closures: HashMap<u32, Rc<[u32]>>,
    known: HashMap<(usize, u32), bool>,
}

/// Labels and where they lead.
type Steps = Rc<[(u32, u32)]>;

/// A formula and a state of which it must first be known whether it holds.
type Missing = (usize, u32);

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
            closures: HashMap::new(),
            known: HashMap::new(),
        }
    }

    fn number(&mut self, state: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(state) {
            return number;
        }
        let number = self.states.len() as u32;
        let state: Rc<[u8]> = state.into();
        self.states.push(Rc::clone(&state));
        self.steps.push(None);
        self.numbers.insert(state, number);
        number
    }

    /// All transitions of a state.
    fn steps(&mut self, state: u32) -> Steps {
        if let Some(steps) = &self.steps[state as usize] {
            return Rc::clone(steps);
        }
        let bytes = Rc::clone(&self.states[state as usize]);
        let (mut enabled, mut target, mut steps) = (Vec::<Transition>::new(), Vec::new(), Vec::new());
        self.stepper.enabled(&bytes, &mut enabled);
        for t in enabled {
            // A step that breaks a rule of the model is a step.
            let _ = self.stepper.fire(&bytes, t, &mut target);
            let name = self.system.action_name(self.stepper.action(&bytes, t));
            let label = if (self.internal)(&name) { Some(0) } else { self.diagnosis.labels.find(&name) };
            let target = self.number(&target);
            steps.push((label.unwrap_or(u32::MAX), target));
        }
        let steps: Steps = steps.into();
        self.steps[state as usize] = Some(Rc::clone(&steps));
        steps
    }

    /// The states reached inside, this one included.
    fn closure(&mut self, state: u32) -> Rc<[u32]> {
        if let Some(closure) = self.closures.get(&state) {
            return Rc::clone(closure);
        }
        let mut reached = vec![state];
        let mut seen = HashMap::from([(state, ())]);
        let mut next = 0;
        while let Some(&at) = reached.get(next) {
            next += 1;
            for &(label, target) in self.steps(at).iter() {
                if label == 0 && seen.insert(target, ()).is_none() {
                    reached.push(target);
                }
            }
        }
        let reached: Rc<[u32]> = reached.into();
        self.closures.insert(state, Rc::clone(&reached));
        reached
    }

    /// Whether the formula of an exchange holds. No recursion: formulas are as deep as refutations are long.
    fn holds(&mut self, formula: usize, state: u32) -> bool {
        let mut asked = vec![(formula, state)];
        while let Some(&(formula, state)) = asked.last() {
            if self.known.contains_key(&(formula, state)) {
                asked.pop();
                continue;
            }
            match self.attempt(formula, state) {
                Ok(value) => {
                    self.known.insert((formula, state), value);
                    asked.pop();
                }
                Err(missing) => asked.push(missing),
            }
        }
        self.known[&(formula, state)]
    }

    fn attempt(&mut self, formula: usize, state: u32) -> Result<bool, Missing> {
        let diagnosis = self.diagnosis;
        let label = diagnosis.exchanges[formula].label;
        let kind = diagnosis.kind(label);
        match diagnosis.style {
            Style::Strong => self.some_step(formula, state, label, false),
            Style::TauStar => self.some_step_from(formula, state, label),
            Style::Delay if kind == LabelKind::Visible => self.some_step_from(formula, state, label),
            Style::Weak if kind == LabelKind::Visible => {
                for &mid in self.closure(state).iter() {
                    for &(_, target) in self.steps(mid).iter().filter(|&&(l, _)| l == label) {
                        if self.some_reached(formula, target)? {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
            Style::Delay | Style::Weak => self.some_reached(formula, state),
            Style::Branching { .. } => {
                if kind == LabelKind::Internal && self.all(formula, state, false)? {
                    return Ok(true);
                }
                for &mid in self.closure(state).iter() {
                    let found = if kind == LabelKind::Divergence {
                        self.is_on_cycle(mid)
                            && self.all(formula, mid, true)?
                            && self.all(formula, mid, false)?
                    } else {
                        self.some_step(formula, mid, label, true)?
                    };
                    if found {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn is_on_cycle(&mut self, state: u32) -> bool {
        let steps = self.steps(state);
        steps.iter().any(|&(label, target)| label == 0 && self.closure(target).contains(&state))
    }

    /// Whether some step with this label leads to where the formulas hold; with `before`, from where the others do.
    fn some_step(&mut self, formula: usize, state: u32, label: u32, before: bool) -> Result<bool, Missing> {
        let steps = self.steps(state);
        if !steps.iter().any(|&(l, _)| l == label) || (before && !self.all(formula, state, true)?) {
            return Ok(false);
        }
        for &(_, target) in steps.iter().filter(|&&(l, _)| l == label) {
            if self.all(formula, target, false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn some_step_from(&mut self, formula: usize, state: u32, label: u32) -> Result<bool, Missing> {
        for &mid in self.closure(state).iter() {
            if self.some_step(formula, mid, label, false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn some_reached(&mut self, formula: usize, state: u32) -> Result<bool, Missing> {
        for &target in self.closure(state).iter() {
            if self.all(formula, target, false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether all formulas about the state before the step, or after it, hold in a state.
    fn all(&self, formula: usize, state: u32, before: bool) -> Result<bool, Missing> {
        let exchange = &self.diagnosis.exchanges[formula];
        let mut missing = None;
        for answer in exchange.answers.iter().filter(|answer| answer.disputes_before == before) {
            let same = self.diagnosis.exchanges[answer.then].mover == exchange.mover;
            match self.known.get(&(answer.then, state)) {
                Some(&value) if value != same => return Ok(false),
                Some(_) => {}
                None => missing = Some((answer.then, state)),
            }
        }
        missing.map_or(Ok(true), Err)
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
            for then in parts(exchange, true).into_iter().chain(parts(exchange, false)) {
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
                let all: Vec<String> = parts(exchange, before).into_iter().map(part).collect();
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
                 (F <tau> G) also if G holds at once"
            }
        }
    }
}

/// The exchanges that the answers lead to, each once.
fn parts(exchange: &Exchange, before: bool) -> Vec<usize> {
    let disputed = exchange.answers.iter().filter(|answer| answer.disputes_before == before);
    let mut parts: Vec<usize> = disputed.map(|answer| answer.then).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}
