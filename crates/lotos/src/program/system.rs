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
use elnath_kernel::event::{Disabled, Field, StatePart};
use elnath_kernel::{Action, Describe, Event, Fault, Stepper, Successors, System, Tally, Transition};
use elnath_program::interpreter::Meeting;
use elnath_program::layout::{Tables, read_scalar};
use elnath_program::{Interpreter, Program};
use std::collections::HashMap;
use std::sync::Arc;

/// A specification as a program. See the [module](super).
pub struct Programmed {
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

impl Programmed {
    /// Translates a specification.
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
        Ok(Self { spec, lowered, interpreter: Arc::new(interpreter), labels })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.lowered.program
    }

    fn walker(&self) -> Walker<'_> {
        Walker {
            system: self,
            inner: self.interpreter.stepper(),
            steps: Successors::default(),
            faults: Vec::new(),
            faults_of: Vec::new(),
            known: HashMap::new(),
            expanded: 0,
        }
    }

    /// The term that a state stands for.
    pub fn term(&self, state: &[u8]) -> Vec<u8> {
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

    fn label(&self, meeting: Option<&Meeting>) -> String {
        let Some(meeting) = meeting else { return "i".to_owned() };
        let (text, sorts) = &self.labels[meeting.vector];
        let mut text = text.clone();
        for (sort, value) in sorts.iter().zip(&meeting.values) {
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
    system: &'a Programmed,
    inner: Box<dyn Stepper + 'a>,
    steps: Successors,
    /// The faults of a state, with their labels.
    faults: Vec<(Action, Fault)>,
    faults_of: Vec<u8>,
    /// Labels, by vector and values.
    known: HashMap<(usize, Vec<i32>), Action>,
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
        let meeting = self.system.interpreter.meeting(state, t);
        let key = meeting.as_ref().map_or((usize::MAX, Vec::new()), |one| (one.vector, one.values.clone()));
        let system = self.system;
        *self.known.entry(key).or_insert_with(|| system.spec.intern(&system.label(meeting.as_ref())))
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

impl System for Programmed {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(self.walker())
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        let commands: usize =
            self.lowered.program.processes.iter().map(|process| process.commands.len()).sum();
        self.spec.bytes() + commands * 512
    }
}

/// Everything is told about the term that a state stands for.
impl Describe for Programmed {
    fn show_state(&self, state: &[u8]) -> String {
        self.spec.show_state(&self.term(state))
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        self.spec.state_parts(&self.term(state))
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let action = self.walker().action(state, t);
        self.spec.action_name(action)
    }

    /// A step that is told is confirmed by the rules on terms, which are the semantics: so is every run that people see.
    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let mut walker = self.walker();
        let label = self.spec.action_name(walker.action(state, t));
        let mut next = Vec::new();
        let next = walker.fire(state, t, &mut next).is_ok().then(|| self.term(&next));
        let confirmed = self.spec.can_step(&self.term(state), &label, next.as_deref());
        assert!(confirmed, "the rules on terms have no such step: {label}");
        let by = if t.0 & FAULT_BIT == 0 { self.codes(state, t) } else { Vec::new() };
        self.spec.events_of(&label, &by)
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        self.spec.fields(&self.term(state))
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.spec.waiting(&self.term(state))
    }

    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        self.spec.disabled(&self.term(state))
    }

    elnath_kernel::hand_on! { spec: actors, action_name, action_place, fault_name, gave_up }
}
