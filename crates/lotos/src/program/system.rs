//! A lowered specification as a system: states and steps are those of the program, labels and places those of the specification.
//!
//! Every state of the program stands for a term: each unit for the code where it is, with what its locals hold. So it is shown to people, every step
//! that is shown is confirmed by the rules on terms, and where the program has a fault in a state, the faults of that state are those that the
//! rules find. If they find none, we give up, which would be a mistake of ours.

use super::NotLowered;
use super::lower::{Control, Core, Join, Lowered, Lowering, Shape, UnitId};
use crate::code::CodeId;
use crate::control::{Growth, growth};
use crate::data::{SortId, Trouble, Val};
use crate::moves::{EXIT, Engine, INTERNAL};
use crate::system::LotosSystem;
use crate::term::{ENDED, NodeId, STOP};
use elnath_kernel::event::StatePart;
use elnath_kernel::{Action, Describe, Event, Fault, Stepper, Successors, System, Tally, Transition};
use elnath_program::interpreter::{Meeting, OUTCOME_BITS};
use elnath_program::ir::{CommandId, ProcessId, Sync};
use elnath_program::layout::{Tables, read_scalar};
use elnath_program::{Interpreter, Program};
use std::collections::HashMap;
use std::sync::Arc;

/// A specification as a program. See the [module](super).
pub struct Programmed<'e> {
    known: Arc<Known>,
    /// What walks the program; it may leave out transitions that others stand for.
    engine: Arc<dyn System + 'e>,
}

/// What does not depend on how the program is walked.
struct Known {
    spec: Arc<LotosSystem>,
    lowered: Lowered,
    interpreter: Arc<Interpreter>,
    /// For each vector what is seen of it, and the texts of the values.
    labels: Vec<(String, Vec<Arc<Texts>>)>,
}

/// How the values of a sort are written, from the least on.
struct Texts {
    least: i32,
    all: Vec<String>,
}

/// Above the transitions of the program: a fault, with its number among those of the state.
const FAULT_BIT: u64 = 1 << 60;

impl Programmed<'static> {
    /// Translates a specification. The program is interpreted.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn new(spec: Arc<LotosSystem>) -> Result<Self, NotLowered> {
        if let Some(Growth::Call(code)) = growth(&spec.spec) {
            let (process, place) = spec.called(code);
            let text =
                format!("control is not static: {process} calls itself ({}:{})", place.file, place.line);
            return Err(NotLowered(text));
        }
        let lowered = Lowering::lower(&spec.spec)?;
        debug_assert_eq!(elnath_program::verify::verify(&lowered.program), Ok(()));
        let interpreter = Interpreter::new(lowered.program.clone())
            .map_err(|_| NotLowered("its first state has a fault".to_owned()))?;
        let mut known: HashMap<SortId, Arc<Texts>> = HashMap::new();
        let labels = lowered
            .labels
            .iter()
            .map(|(gate, sorts)| {
                let text = match *gate {
                    INTERNAL => return ("i".to_owned(), Vec::new()),
                    EXIT => "exit".to_owned(),
                    gate => spec.gates()[gate as usize].clone(),
                };
                let texts =
                    |&sort: &SortId| Arc::clone(known.entry(sort).or_insert_with(|| texts(&spec, sort)));
                (text, sorts.iter().map(texts).collect())
            })
            .collect();
        let interpreter = Arc::new(interpreter);
        let engine = Arc::clone(&interpreter) as Arc<dyn System>;
        Ok(Self { known: Arc::new(Known { spec, lowered, interpreter, labels }), engine })
    }
}

impl Programmed<'_> {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.known.lowered.program
    }

    /// It, as it is interpreted.
    pub fn interpreter(&self) -> &Arc<Interpreter> {
        &self.known.interpreter
    }

    /// The same, walked by another engine of the program, which may leave out transitions that others stand for.
    #[must_use]
    pub fn walked_by<'e>(&self, engine: Arc<dyn System + 'e>) -> Programmed<'e> {
        Programmed { known: Arc::clone(&self.known), engine }
    }

    fn walker(&self) -> Walker<'_> {
        Walker {
            system: &self.known,
            inner: self.engine.stepper(),
            steps: Successors::default(),
            faults: Vec::new(),
            faults_of: Vec::new(),
            known: HashMap::new(),
            plain: HashMap::new(),
            meetings: Vec::new(),
            told: Vec::new(),
            told_of: (Vec::new(), None),
            expanded: 0,
        }
    }

    /// The term that a state stands for.
    pub fn term(&self, state: &[u8]) -> Vec<u8> {
        self.known.term(state)
    }
}

impl Known {
    fn term(&self, state: &[u8]) -> Vec<u8> {
        let mut engine = self.spec.engine();
        match self.node(&mut engine, state) {
            Ok(node) => engine.nodes.bytes(node).to_vec(),
            Err(trouble) => unreachable!("a step to a state evaluates what it needs: {}", trouble.text),
        }
    }

    fn node(&self, engine: &mut Engine<'_>, state: &[u8]) -> Result<NodeId, Trouble> {
        let layout = self.interpreter.layout();
        let mut tables = Tables::default();
        tables.read(layout, state);
        let mut at = Vec::new();
        for (unit, own) in self.lowered.units.iter().enumerate() {
            let base = tables.processes[unit] as usize;
            let types = self.lowered.program.processes[unit].locals.iter().map(|local| local.ty);
            let offsets = layout.frames[unit].locals.iter();
            let values =
                offsets.zip(types).map(|(offset, ty)| read_scalar(state, base + offset, ty)).collect();
            let location = self.interpreter.location_of(state, unit);
            at.push((&own.controls[location.index()], values));
        }
        self.unit(engine, 0, &at)
    }

    fn unit(
        &self,
        engine: &mut Engine<'_>,
        unit: UnitId,
        at: &[(&Control, Vec<i32>)],
    ) -> Result<NodeId, Trouble> {
        let own = &self.lowered.units[unit];
        let (Control { stack, core }, values) = &at[unit];
        let mut node = match core {
            Core::Ended => ENDED,
            Core::Stop => STOP,
            Core::Code(code, gates) => {
                let values = self.values(
                    engine,
                    unit,
                    *code,
                    &self.spec.spec.codes[*code as usize].variables,
                    values,
                )?;
                engine.resumed(*code, gates, &values)?
            }
            Core::Site(site) => match &self.lowered.sites[*site].join {
                Join::Parallel(shape) => self.shape(engine, shape, at)?,
                Join::Disable(left, right) => {
                    let (left, right) = (self.unit(engine, *left, at)?, self.unit(engine, *right, at)?);
                    // What has ended or was interrupted is at location 0, too.
                    match (left, right) {
                        (ENDED, right) => right,
                        (left, right) => engine.nodes.disable(left, right),
                    }
                }
                Join::Choice(units) => {
                    let mut all = Vec::new();
                    for &unit in units {
                        all.push(self.unit(engine, unit, at)?);
                    }
                    // All but one have been ended, or none.
                    let active: Vec<NodeId> = all.iter().copied().filter(|&one| one != ENDED).collect();
                    match active[..] {
                        [] => ENDED,
                        _ => engine.nodes.choice(active),
                    }
                }
                Join::Interrupted(_) => unreachable!("it is at its right side"),
            },
            Core::Interrupt(site, code, gates) => {
                let Join::Interrupted(left) = self.lowered.sites[*site].join else {
                    unreachable!("there is a left side")
                };
                let left = self.unit(engine, left, at)?;
                let values = self.values(
                    engine,
                    unit,
                    *code,
                    &self.spec.spec.codes[*code as usize].variables,
                    values,
                )?;
                let right = engine.resumed(*code, gates, &values)?;
                engine.nodes.disable(left, right)
            }
        };
        for (code, gates) in stack.iter().rev() {
            let (_, slots) = self.spec.spec.continuation(*code);
            let values = self.values(engine, unit, *code, &slots, values)?;
            node = engine.nodes.enable(node, *code, gates.clone().into(), values.into());
        }
        let free = engine.nodes.free(node);
        let hidden: Vec<_> = free.iter().copied().filter(|&gate| gate >= own.base).collect();
        Ok(if hidden.is_empty() { node } else { engine.nodes.hide(&hidden, node) })
    }

    fn shape(
        &self,
        engine: &mut Engine<'_>,
        shape: &Shape,
        at: &[(&Control, Vec<i32>)],
    ) -> Result<NodeId, Trouble> {
        Ok(match shape {
            Shape::Unit(unit) => self.unit(engine, *unit, at)?,
            Shape::Parallel(sync, left, right) => {
                let (left, right) = (self.shape(engine, left, at)?, self.shape(engine, right, at)?);
                engine.nodes.parallel(sync.as_deref(), left, right)
            }
        })
    }

    /// The values of variables of a piece of code.
    fn values(
        &self,
        engine: &mut Engine<'_>,
        unit: UnitId,
        code: CodeId,
        slots: &[u32],
        numbers: &[i32],
    ) -> Result<Vec<Val>, Trouble> {
        let spec = &self.spec.spec;
        let process = spec.codes[code as usize].process;
        let mut values = Vec::new();
        for &slot in slots {
            let local = super::lower::Local::Variable(process, slot);
            let at = self.lowered.units[unit].local(local).expect("it is one of the unit");
            let sort = spec.sort_of(code, slot);
            let all = engine.nodes.values.all(&spec.data, sort)?;
            let least = self.least(sort);
            values.push(all[(numbers[at] - least) as usize]);
        }
        Ok(values)
    }

    fn least(&self, sort: SortId) -> i32 {
        match self.spec.spec.data.sorts[sort as usize].kind {
            crate::data::SortKind::Numbers(least, _) => least as i32,
            crate::data::SortKind::Constructed => 0,
        }
    }

    /// The label of all steps that a unit begins with a command, if they have only one.
    fn only_label(&self, unit: UnitId, command: CommandId) -> Option<Action> {
        let process = ProcessId(unit as u32);
        let Sync::Gate { gate, .. } = self.lowered.program.processes[unit].commands[command.index()].sync
        else {
            return Some(self.spec.intern(&self.label(None)));
        };
        let vectors = self.lowered.program.vectors.iter().enumerate();
        let mut begun = vectors.filter(|(_, vector)| vector.members.first() == Some(&(process, gate)));
        let (first, _) = begun.next()?;
        let (text, sorts) = &self.labels[first];
        let same = sorts.is_empty() && begun.all(|(other, _)| self.labels[other].0 == *text);
        same.then(|| self.spec.intern(text))
    }

    fn label(&self, meeting: Option<(usize, &[i32])>) -> String {
        let Some((vector, values)) = meeting else { return "i".to_owned() };
        let (text, sorts) = &self.labels[vector];
        let mut text = text.clone();
        for (sort, value) in sorts.iter().zip(values) {
            text.push_str(" !");
            text.push_str(&sort.all[(value - sort.least) as usize]);
        }
        text
    }

    /// The code of the actions that take part in a step.
    fn codes(&self, state: &[u8], t: Transition) -> Vec<CodeId> {
        let members = match self.interpreter.meeting(state, t) {
            Some(meeting) => meeting.members,
            None => vec![self.interpreter.begun_by(t)],
        };
        members.iter().filter_map(|&(unit, command)| self.lowered.codes[unit][command.index()]).collect()
    }
}

fn texts(spec: &LotosSystem, sort: SortId) -> Arc<Texts> {
    let data = &spec.spec.data;
    let mut values = crate::values::Values::new(data);
    let all = values.all(data, sort).expect("it has few values, or there would be no program");
    let least = match data.sorts[sort as usize].kind {
        crate::data::SortKind::Numbers(least, _) => least as i32,
        crate::data::SortKind::Constructed => 0,
    };
    let text = |&value: &Val| {
        let mut text = String::new();
        values.show(data, value, &mut text);
        text
    };
    Arc::new(Texts { least, all: all.iter().map(text).collect() })
}

struct Walker<'a> {
    system: &'a Known,
    inner: Box<dyn Stepper + 'a>,
    steps: Successors,
    /// The faults of a state, with their labels.
    faults: Vec<(Action, Fault)>,
    faults_of: Vec<u8>,
    /// Labels, by vector and values.
    known: HashMap<(usize, Vec<i32>), Action>,
    /// The labels of commands that have only one, by unit and command.
    plain: HashMap<(usize, u32), Option<Action>>,
    /// The joint steps of the command that was asked about last, and their labels, by the number of the outcome.
    meetings: Vec<Meeting>,
    told: Vec<Action>,
    told_of: (Vec<u8>, Option<u64>),
    expanded: u64,
}

impl Walker<'_> {
    fn find(&mut self, state: &[u8]) {
        self.expanded += 1;
        self.inner.successors(state, &mut self.steps);
        if self.steps.iter().any(|step| step.fault.is_some()) {
            self.find_faults(state);
        } else {
            self.faults.clear();
            self.faults_of.clear();
        }
    }

    /// What goes wrong in a state of which the program says that something does.
    fn find_faults(&mut self, state: &[u8]) {
        if self.faults_of == state && !self.faults.is_empty() {
            return;
        }
        let spec = &self.system.spec;
        let mut engine = spec.engine();
        let node = self.system.node(&mut engine, state);
        let found = match node {
            Ok(node) => spec.faults_of(&mut engine, node),
            Err(_) => Vec::new(),
        };
        self.faults = found.into_iter().map(|(label, fault)| (label, Fault(fault))).collect();
        if self.faults.is_empty() {
            let text = "the program has a fault here that the specification has not".to_owned();
            let fault = engine.fault(None, Trouble::gave_up(text));
            self.faults.push((spec.fault_label(), Fault(fault)));
        }
        self.faults_of.clear();
        self.faults_of.extend_from_slice(state);
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.inner.initial(out);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.find(state);
        out.clear();
        out.extend(self.steps.iter().filter(|step| step.fault.is_none()).map(|step| step.transition));
        out.extend((0..self.faults.len() as u64).map(|number| Transition(FAULT_BIT | number)));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        if t.0 & FAULT_BIT == 0 {
            return self.inner.fire(state, t, out);
        }
        self.find_faults(state);
        out.clear();
        out.extend_from_slice(state);
        Err(self.faults[(t.0 & !FAULT_BIT) as usize].1)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.inner.successors(state, out);
        if !out.has_faults() {
            self.expanded += 1;
            return;
        }
        self.find(state);
        out.clear();
        for step in self.steps.iter().filter(|step| step.fault.is_none()) {
            out.push(step.transition, step.state, None);
        }
        for (number, &(_, fault)) in self.faults.iter().enumerate() {
            out.push(Transition(FAULT_BIT | number as u64), state, Some(fault));
        }
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        if t.0 & FAULT_BIT != 0 {
            self.find_faults(state);
            return self.faults[(t.0 & !FAULT_BIT) as usize].0;
        }
        let (unit, command) = self.system.interpreter.begun_by(t);
        let system = self.system;
        let plain = self.plain.entry((unit, command.0));
        if let Some(action) = *plain.or_insert_with(|| system.only_label(unit, command)) {
            return action;
        }
        let number = (t.0 & ((1 << OUTCOME_BITS) - 1)) as usize;
        let of = Some(t.0 >> OUTCOME_BITS);
        if self.told_of.1 != of || self.told_of.0 != state {
            self.meetings.clear();
            system.interpreter.meetings(state, t, &mut self.meetings);
            self.told.clear();
            for meeting in self.meetings.drain(..) {
                let key = (meeting.vector, meeting.values);
                let label =
                    |key: &(usize, Vec<i32>)| system.spec.intern(&system.label(Some((key.0, &key.1))));
                let action = match self.known.get(&key) {
                    Some(&action) => action,
                    None => {
                        let action = label(&key);
                        self.known.insert(key, action);
                        action
                    }
                };
                self.told.push(action);
            }
            self.told_of.0.clear();
            self.told_of.0.extend_from_slice(state);
            self.told_of.1 = of;
        }
        self.told[number]
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.inner.may_end(state)
    }

    fn transition_bits(&self) -> u32 {
        61
    }

    elnath_kernel::facets! { mine: tally; none: propositions, acceptance, processes }
}

impl Tally for Walker<'_> {
    fn work(&self) -> u64 {
        self.expanded
    }

    /// Labels are not known before they happen.
    fn unfired(&self) -> Vec<Action> {
        Vec::new()
    }
}

impl System for Programmed<'_> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(self.walker())
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        let commands: usize =
            self.known.lowered.program.processes.iter().map(|process| process.commands.len()).sum();
        self.known.spec.bytes() + self.engine.bytes() + commands * 512
    }
}

/// Everything is told about the term that a state stands for.
impl Describe for Programmed<'_> {
    fn show_state(&self, state: &[u8]) -> String {
        self.known.spec.show_state(&self.term(state))
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        self.known.spec.state_parts(&self.term(state))
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let action = self.walker().action(state, t);
        self.known.spec.action_name(action)
    }

    /// A step that is told is confirmed by the rules on terms, which are the semantics: so is every run that people see.
    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let mut walker = self.walker();
        let spec = &self.known.spec;
        let label = spec.action_name(walker.action(state, t));
        let mut next = Vec::new();
        let next = walker.fire(state, t, &mut next).is_ok().then(|| self.term(&next));
        let confirmed = spec.can_step(&self.term(state), &label, next.as_deref());
        assert!(confirmed, "the rules on terms have no such step: {label}");
        let by = if t.0 & FAULT_BIT == 0 { self.known.codes(state, t) } else { Vec::new() };
        spec.events_of(&label, &by)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.known.spec.waiting(&self.term(state))
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.known.spec.actors(state)
    }

    fn action_name(&self, action: Action) -> String {
        self.known.spec.action_name(action)
    }

    fn action_place(&self, action: Action) -> Option<String> {
        self.known.spec.action_place(action)
    }

    fn fault_name(&self, fault: Fault) -> String {
        self.known.spec.fault_name(fault)
    }

    fn gave_up(&self, fault: Fault) -> bool {
        self.known.spec.gave_up(fault)
    }
}
