//! A program whose channel events are watched: Promela's `trace` and `notrace`.
//!
//! A trace is an automaton over sends and receives. It watches the sends on every channel of which it names a send, and
//! the receives on every channel of which it names a receive; all others are none of its business. Each watched event
//! must take it one step further. For a `trace`, an event that fits none of its next steps is an error, and so is a run
//! that ends while the trace is not at an end. For a `notrace`, taking it to its end is the error, and the first event
//! that does not fit ends the watch ("only the first try counts", as in SPIN).
//!
//! The state is that of the system with the trace's location appended. Events are found by looking at each transition
//! in slow motion, so watched programs are walked several times slower than others.

use super::{Interpreter, Walker};
use crate::ir::{CommandId, Expr, Guard, Loc, Pattern, ProcessType};
use crate::layout::Tables;
use elnath_kernel::event::{Disabled, Field, Operand, StatePart};
use elnath_kernel::{
    Acceptance, Action, Describe, Event, Fault, Processes, Propositions, Stepper, Successors, System,
    Transition,
};
use std::sync::Arc;

/// Something that happened on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelEvent {
    /// The number of the channel.
    pub channel: usize,
    /// What was done.
    pub op: ChannelOp,
    /// The message.
    pub values: Vec<i32>,
}

/// What is done on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelOp {
    /// A message is put in.
    Send,
    /// A message is taken out.
    Receive,
    /// A message is received and stays where it is.
    Copy,
}

/// What a step of a trace waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPattern {
    /// The channel.
    pub channel: Expr,
    /// A send; else a receive.
    pub send: bool,
    /// The message: values that must match, or anything.
    pub fields: Vec<Pattern>,
}

/// An automaton over events.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Its locations and steps.
    pub process: ProcessType,
    /// What each command of `process` waits for; jumps wait for nothing.
    pub events: Vec<Option<EventPattern>>,
    /// A `notrace`: what must not happen.
    pub negated: bool,
}

/// A program and the trace that watches it. See the [module](self).
pub struct Traced {
    system: Arc<Interpreter>,
    trace: Trace,
}

const UNEXPECTED: Fault = Fault(u32::MAX - 1);
const COMPLETED: Fault = Fault(u32::MAX - 2);
/// The location of a `notrace` that has seen an event that did not fit, or all that it was waiting for.
const OVER: Loc = Loc(u16::MAX as u32);

impl Traced {
    /// Watches `system`, which must [keep all ways](Interpreter::keeping_all_ways), with `trace`.
    pub fn new(system: Arc<Interpreter>, trace: Trace) -> Self {
        debug_assert!(!system.merges, "two ways to the same state may have different events");
        Self { system, trace }
    }

    fn split(state: &[u8]) -> (&[u8], Loc) {
        let (system, at) = state.split_at(state.len() - 2);
        (system, Loc(u32::from(u16::from_le_bytes([at[0], at[1]]))))
    }

    fn join(system: &mut Vec<u8>, at: Loc) {
        system.extend_from_slice(&(at.0 as u16).to_le_bytes());
    }

    fn is_complete(&self, at: Loc) -> bool {
        self.trace.process.leaving(at).any(|(_, command)| command.guard == Guard::Exit)
    }
}

impl System for Traced {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(TracedWalker { system: self, walker: self.system.walker(), tables: Tables::default() })
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    elnath_kernel::hand_on! { system: bytes }
}

impl Describe for Traced {
    fn show_state(&self, state: &[u8]) -> String {
        let (system, at) = Self::split(state);
        format!("{}, {}@{}", self.system.show_state(system), self.trace.process.name, at.0)
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        let (system, at) = Self::split(state);
        let mut parts = self.system.state_parts(system);
        let (owner, value) = (self.trace.process.name.clone(), format!("at location {}", at.0));
        parts.push(StatePart { owner, name: String::new(), value });
        parts
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        let (system, at) = Self::split(state);
        let mut fields = self.system.fields(system);
        fields.push(super::fields::of_observer(&self.trace.process, at));
        fields
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        self.system.show_transition(Self::split(state).0, t)
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        self.system.events(Self::split(state).0, t)
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.system.actors(Self::split(state).0)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.system.waiting(Self::split(state).0)
    }

    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        self.system.disabled(Self::split(state).0)
    }

    elnath_kernel::hand_on! { system: action_name, action_place }

    fn fault_name(&self, fault: Fault) -> String {
        match fault {
            UNEXPECTED => format!("an event that `{}` does not allow", self.trace.process.name),
            COMPLETED => format!("all events of `{}` have happened", self.trace.process.name),
            other => self.system.fault_name(other),
        }
    }

    fn gave_up(&self, fault: Fault) -> bool {
        !matches!(fault, UNEXPECTED | COMPLETED) && self.system.gave_up(fault)
    }
}

struct TracedWalker<'a> {
    system: &'a Traced,
    walker: Walker<'a>,
    tables: Tables,
}

impl TracedWalker<'_> {
    /// Where the trace goes at an event, if it watches it; a fault if the event is an error.
    fn step(&mut self, state: &[u8], at: Loc, event: &ChannelEvent) -> (Loc, Option<Fault>) {
        let trace = &self.system.trace;
        let interpreter = &self.system.system;
        self.tables.read(&interpreter.layout, state);
        let view = interpreter.view(state, &self.tables, usize::MAX, false);
        let on_channel = |pattern: &EventPattern| {
            pattern.send == (event.op == ChannelOp::Send)
                && view.eval(&pattern.channel) == Ok(event.channel as i32)
        };
        if at == OVER || !trace.events.iter().flatten().any(on_channel) {
            return (at, None);
        }
        let fits = |pattern: &EventPattern| {
            let field = |(pattern, value): (&Pattern, &i32)| match pattern {
                Pattern::Match(expr) => view.eval(expr) == Ok(*value),
                Pattern::Bind(_) | Pattern::Any => true,
            };
            on_channel(pattern) && pattern.fields.iter().zip(&event.values).all(field)
        };
        let pattern = |id: CommandId| trace.events[id.index()].as_ref();
        let next = trace.process.leaving(at).find(|(id, _)| pattern(*id).is_some_and(fits));
        match next {
            Some((_, command)) if trace.negated && self.system.is_complete(command.target) => {
                (OVER, Some(COMPLETED))
            }
            Some((_, command)) => (command.target, None),
            None if trace.negated => (OVER, None),
            None => (at, Some(UNEXPECTED)),
        }
    }
}

impl Stepper for TracedWalker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.walker.initial(out);
        Traced::join(out, self.system.trace.process.entry);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.walker.enabled(Traced::split(state).0, out);
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (system, mut at) = Traced::split(state);
        let mut fault = self.walker.fire(system, t, out).err();
        for micro in self.system.system.explain(system, t) {
            for event in &micro.events {
                let (next, wrong) = self.step(&micro.before, at, event);
                at = next;
                fault = fault.or(wrong);
            }
        }
        Traced::join(out, at);
        fault.map_or(Ok(()), Err)
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.walker.action(Traced::split(state).0, t)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        let (system, at) = Traced::split(state);
        let process = &self.system.trace.process;
        let ended = self.system.trace.negated || process.locations[at.index()].end;
        // Nothing is owed where nobody is left, as in SPIN.
        self.walker.may_end(system) && (ended || self.walker.is_deserted())
    }

    elnath_kernel::hand_on! { walker: transition_bits }
    elnath_kernel::facets! { mine: propositions, acceptance, processes; below walker: tally }
}

impl Propositions for TracedWalker<'_> {
    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.walker.valuation(Traced::split(state).0)
    }

    fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        self.walker.proposition_fault(Traced::split(state).0, number)
    }

    fn operands(&mut self, state: &[u8], number: u32) -> Vec<Operand> {
        self.walker.operands(Traced::split(state).0, number)
    }

    elnath_kernel::hand_on! { walker: names, fallible }
}

impl Acceptance for TracedWalker<'_> {
    fn sets(&mut self) -> u32 {
        self.walker.sets()
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        self.walker.marks(Traced::split(state).0, t)
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.walker.accepting(Traced::split(state).0)
    }

    fn may_recur(&mut self, state: &[u8]) -> bool {
        self.walker.may_recur(Traced::split(state).0)
    }

    /// The last byte is the trace's.
    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}

impl Processes for TracedWalker<'_> {
    fn mover(&mut self, t: Transition) -> Option<u32> {
        self.walker.mover(t)
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        self.walker.movers(Traced::split(state).0, t)
    }

    fn owing(&mut self, state: &[u8]) -> u64 {
        self.walker.owing(Traced::split(state).0)
    }

    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        self.walker.locations(Traced::split(state).0, out);
    }

    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        out.fire_some(self, state, |stepper, t| stepper.mover(t) == Some(process));
    }
}
