//! A program as somebody outside sees it: labels with values instead of statements.
//!
//! The action of a transition of a program is the statement, which is what a person who looks for an error wants to
//! read. To compare a program with another one, or with a service, only that counts which can be seen from outside:
//!
//! | what happens | label |
//! |---|---|
//! | a send, `c!x,y` | the channel and the values, `c!3,ack` |
//! | a receive, `c?x,y`, whatever of it is stored, matched or left in the channel | `c?3,ack` |
//! | a rendez-vous | one label, `c!3,ack` |
//! | `printf` of something | the text without the blanks around it, line ends as blanks |
//! | everything else | `i`, the internal action |
//!
//! A channel has the name of the variable that created it, as in counterexamples; symbols and truth values are shown by name. Printing is
//! a way to have any label whatever: `printf("GET !%d", x)` is `GET !3`.
//!
//! **One transition, several events.** An atomic sequence is one transition, and so is a deterministic one, but its
//! events are no less events. Joined in one label they could be neither hidden nor synchronised one by one. Hence such a
//! transition becomes several, one per event, between which nothing else of the program happens: a state in the middle is
//! the one where the transition leads, with the labels still to come behind it. What an atomic sequence chooses is thus
//! chosen when it begins, as the search of a program has it. Ways through atomic sequences are all told apart, as for
//! traces, since two ways to one state may sound different. Only a way that never ends is still left out.
//!
//! The state has a byte (and, in the middle, more) behind that of the program, and only if there is a command that may be
//! heard more than once; else states are those of the program, and all successors come straight from its engine.

use super::machine::Heard;
use super::story::Snapshot;
use super::trace::ChannelOp;
use super::{Interpreter, Walker, decode};
use crate::analysis::control::inner;
use crate::analysis::{communicates, prints, received_from, sent_to};
use crate::ir::{Capacity, Command, Guard, Loc, ProcessType, Program, Type};
use crate::layout::Tables;
use elnath_kernel::event::{Content, Disabled, Field, Operand, StatePart};
use elnath_kernel::{
    Acceptance, Action, Describe, Event, Fault, Names, Processes, Propositions, Run, Stepper, Successors,
    System, Tally, Transition,
};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// A program whose actions are what is seen from outside. See the [module](self).
pub struct Observed {
    program: Arc<Interpreter>,
    /// What computes the transitions: the interpreter, or something with the same states and transitions.
    engine: Arc<dyn System>,
    names: Names,
    internal: Action,
    /// By command, among those of all kinds of processes: how many events it may be heard with, where 2 means more.
    most_events: Vec<u8>,
    /// Whether some command may be heard with several.
    several: bool,
    /// The transition of a state in the middle of others', above all that those of the program use. An automaton beside the
    /// program needs what is above it, so that it is as low as can be.
    next_event: Transition,
    /// The names of the global channels, from number 1 on.
    channels: Vec<String>,
}

/// Behind a state of the program: nothing more, or the labels to come and how many.
const REST: u8 = 0;
const MIDDLE: u8 = 1;

impl Observed {
    /// Observes `program`, which must [keep all ways](Interpreter::keeping_all_ways), by whatever engine computes it.
    pub fn new(program: Arc<Interpreter>, engine: Arc<dyn System>) -> Self {
        debug_assert!(!program.merges, "two ways to the same state may have different events");
        let most_events = most_events(&program.program);
        let at = Snapshot::new(&program, &program.initial);
        let channels = 1..=program.layout.global_channels.len() as i32;
        let channels = channels.map(|number| at.channel_name(number)).collect();
        let names = Names::new();
        let internal = names.intern("i");
        let several = most_events.iter().any(|&most| most > 1);
        let next_event = Transition(1 << program.walker().transition_bits());
        Self { program, engine, names, internal, several, next_event, most_events, channels }
    }

    /// Whether some transition of the program may become several here.
    pub fn splits_steps(&self) -> bool {
        self.several
    }

    /// The run of the program that was observed, and where its loop begins if it has one.
    pub fn of_program(&self, run: &Run, loop_start: Option<usize>) -> (Run, Option<usize>) {
        let is_step = |t: &&Transition| **t != self.next_event;
        let states = run.states.iter().enumerate();
        // A state in the middle is where its transition of the program leads.
        let states = states.filter(|&(at, _)| at == 0 || run.steps[at - 1] != self.next_event);
        let states = states.map(|(_, state)| self.split(state).0.to_vec()).collect();
        let steps: Vec<Transition> = run.steps.iter().filter(is_step).copied().collect();
        let loop_start = loop_start.map(|start| run.steps[..start].iter().filter(is_step).count());
        (Run { states, steps, fault: run.fault }, loop_start)
    }

    /// The state of the program, and the labels still to come.
    fn split<'s>(&self, state: &'s [u8]) -> (&'s [u8], &'s [u8]) {
        if !self.several {
            return (state, &[]);
        }
        let (&kind, state) = state.split_last().expect("there is a byte behind the program's state");
        if kind == REST {
            return (state, &[]);
        }
        let (state, count) = state.split_at(state.len() - 4);
        let count = u32::from_le_bytes(count.try_into().expect("four bytes")) as usize;
        state.split_at(state.len() - 4 * count)
    }

    /// What goes behind a state of the program to which these labels lead; the first of them is heard on the way.
    fn tail(&self, labels: &[Action], out: &mut Vec<u8>) {
        out.clear();
        if !self.several {
            return;
        }
        match labels {
            [] | [_] => out.push(REST),
            [_, rest @ ..] => tail_of_middle(rest.iter().flat_map(|label| label.0.to_le_bytes()), out),
        }
    }

    fn pending(&self, labels: &[u8]) -> Vec<String> {
        labels.as_chunks().0.iter().map(|&label| self.action_name(number(label))).collect()
    }
}

fn tail_of_middle(labels: impl Iterator<Item = u8>, out: &mut Vec<u8>) {
    out.extend(labels);
    let count = (out.len() / 4) as u32;
    out.extend_from_slice(&count.to_le_bytes());
    out.push(MIDDLE);
}

fn number(label: [u8; 4]) -> Action {
    Action(u32::from_le_bytes(label))
}

impl System for Observed {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Observer {
            system: self,
            engine: self.engine.stepper(),
            walker: self.program.walker(),
            known: HashMap::new(),
            labels: Vec::new(),
            text: String::new(),
            tail: Vec::new(),
            successors: Successors::default(),
            tables: Tables::default(),
        })
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        self.engine.bytes() + self.names.bytes()
    }
}

impl Describe for Observed {
    fn show_state(&self, state: &[u8]) -> String {
        let (state, pending) = self.split(state);
        let shown = self.engine.show_state(state);
        if pending.is_empty() {
            shown
        } else {
            format!("{shown}, still to be seen: {}", self.pending(pending).join(", "))
        }
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        let (state, pending) = self.split(state);
        let mut parts = self.engine.state_parts(state);
        if !pending.is_empty() {
            let (name, value) = ("still to be seen".to_owned(), self.pending(pending).join(", "));
            parts.insert(0, StatePart { owner: String::new(), name, value });
        }
        parts
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        let (state, pending) = self.split(state);
        let mut fields = self.engine.fields(state);
        if !pending.is_empty() {
            let (name, value) = ("still to be seen".to_owned(), self.pending(pending).join(", "));
            fields.insert(0, Field { owner: String::new(), name, content: Content::Text { value } });
        }
        fields
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let (state, pending) = self.split(state);
        match self.pending(pending).into_iter().next() {
            Some(label) => label,
            None => self.engine.show_transition(state, t),
        }
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let (state, pending) = self.split(state);
        match self.pending(pending).into_iter().next() {
            // What happened is told where the sequence begins.
            Some(label) => vec![Event { changes: Some(Vec::new()), ..Event::plain(label) }],
            None => self.engine.events(state, t),
        }
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.engine.actors(self.split(state).0)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.engine.waiting(self.split(state).0)
    }

    /// While something is still to be seen, nothing else can happen.
    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        let (state, pending) = self.split(state);
        if pending.is_empty() { self.engine.disabled(state) } else { Vec::new() }
    }

    fn action_name(&self, action: Action) -> String {
        self.names.text(action)
    }

    /// What is seen may come from many statements.
    fn action_place(&self, _action: Action) -> Option<String> {
        None
    }

    elnath_kernel::hand_on! { engine: fault_name, gave_up }
}

struct Observer<'a> {
    system: &'a Observed,
    engine: Box<dyn Stepper + 'a>,
    walker: Walker<'a>,
    /// The texts met so far, so that the shared table is asked for new ones only.
    known: HashMap<String, Action>,
    /// What the last transition looked at is heard with.
    labels: Vec<Action>,
    text: String,
    tail: Vec<u8>,
    successors: Successors,
    tables: Tables,
}

impl Observer<'_> {
    /// How many events a transition may be heard with; `self.tables` are those of `state`.
    fn most_events(&self, state: &[u8], t: Transition) -> u8 {
        let program = &self.system.program;
        let (step, _) = decode(t);
        let process = program.view(state, &self.tables, step.pid, false).process_id(step.pid);
        self.system.most_events[program.command_number(process, step.command) as usize]
    }

    /// Executes a transition and listens: its labels are in `self.labels` then.
    fn listen(&mut self, state: &[u8], t: Transition) {
        self.labels.clear();
        let steps = self.walker.steps_of(state, t);
        self.walker.machine.load(state);
        for step in steps {
            self.walker.machine.heard = Some(Vec::new());
            let before = (!self.has_only_global_channels()).then(|| self.walker.machine.state.clone());
            let failed = self.walker.machine.execute(step).fault.is_some();
            for heard in self.walker.machine.heard.take().unwrap_or_default() {
                self.hear(&heard, before.as_deref().unwrap_or(state));
            }
            if failed {
                break;
            }
        }
    }

    fn has_only_global_channels(&self) -> bool {
        self.walker.machine.tables.channels.len() == self.system.channels.len()
    }

    fn hear(&mut self, heard: &Heard, before: &[u8]) {
        let program = &*self.system.program;
        self.text.clear();
        match heard {
            Heard::Failed(_) => return,
            Heard::Printed(text) => {
                let words = text.split_whitespace();
                words.for_each(|word| {
                    let gap = if self.text.is_empty() { "" } else { " " };
                    self.text.extend([gap, word]);
                });
                if self.text.is_empty() {
                    return;
                }
            }
            Heard::Event(event) => {
                let Some(index) = event.channel.checked_sub(1) else { return };
                let here = || Snapshot::new(program, before);
                let kind = program.layout.global_channels.get(index).copied();
                let Some(kind) = kind.or_else(|| here().channel_kind(index)) else { return };
                let kind = &program.program.channels[kind.index()];
                // Sender and receiver both tell what they handed over.
                if kind.capacity == Capacity::Rendezvous && event.op != ChannelOp::Send {
                    return;
                }
                match self.system.channels.get(index) {
                    Some(name) => self.text.push_str(name),
                    None => self.text.push_str(&here().channel_name(event.channel as i32)),
                }
                self.text.push(if event.op == ChannelOp::Send { '!' } else { '?' });
                for (i, (&ty, &value)) in kind.fields.iter().zip(&event.values).enumerate() {
                    if i > 0 {
                        self.text.push(',');
                    }
                    match ty {
                        Type::Bool => self.text.push_str(if value == 0 { "false" } else { "true" }),
                        Type::Symbol(_) | Type::Channel => self.text.push_str(&here().show(ty, value)),
                        _ => _ = write!(self.text, "{value}"),
                    }
                }
            }
        }
        let label = match self.known.get(self.text.as_str()) {
            Some(&label) => label,
            None => {
                let label = self.system.names.intern(&self.text);
                self.known.insert(self.text.clone(), label);
                label
            }
        };
        self.labels.push(label);
    }
}

impl Stepper for Observer<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.engine.initial(out);
        self.system.tail(&[], &mut self.tail);
        out.extend_from_slice(&self.tail);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        let (state, pending) = self.system.split(state);
        if pending.is_empty() {
            self.engine.enabled(state, out);
        } else {
            out.clear();
            out.push(self.system.next_event);
        }
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (state, pending) = self.system.split(state);
        if !pending.is_empty() {
            out.clear();
            out.extend_from_slice(state);
            self.tail.clear();
            match &pending[4..] {
                [] => self.tail.push(REST),
                rest => tail_of_middle(rest.iter().copied(), &mut self.tail),
            }
            out.extend_from_slice(&self.tail);
            return Ok(());
        }
        let fired = self.engine.fire(state, t, out);
        if self.system.several {
            self.tables.read(&self.system.program.layout, state);
            self.labels.clear();
            if self.most_events(state, t) > 1 {
                self.listen(state, t);
            }
            self.system.tail(&self.labels, &mut self.tail);
            out.extend_from_slice(&self.tail);
        }
        fired
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        if !self.system.several {
            self.engine.successors(state, out);
            return;
        }
        let (program, pending) = self.system.split(state);
        if !pending.is_empty() {
            out.fire_all(self, state);
            return;
        }
        out.clear();
        let mut successors = std::mem::take(&mut self.successors);
        self.engine.successors(program, &mut successors);
        self.tables.read(&self.system.program.layout, program);
        for next in successors.iter() {
            self.labels.clear();
            if self.most_events(program, next.transition) > 1 {
                self.listen(program, next.transition);
            }
            self.system.tail(&self.labels, &mut self.tail);
            out.push_joined(next.transition, next.state, &self.tail, next.fault);
        }
        self.successors = successors;
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        let (state, pending) = self.system.split(state);
        if let Some(&label) = pending.first_chunk() {
            return number(label);
        }
        self.tables.read(&self.system.program.layout, state);
        if self.most_events(state, t) == 0 {
            return self.system.internal;
        }
        self.listen(state, t);
        self.labels.first().copied().unwrap_or(self.system.internal)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        let (state, pending) = self.system.split(state);
        pending.is_empty() && self.engine.may_end(state)
    }

    fn transition_bits(&self) -> u32 {
        self.engine.transition_bits() + u32::from(self.system.several)
    }

    elnath_kernel::facets! { mine: propositions, acceptance, processes, tally }
}

impl Propositions for Observer<'_> {
    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.engine.valuation(self.system.split(state).0)
    }

    fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        self.engine.proposition_fault(self.system.split(state).0, number)
    }

    fn operands(&mut self, state: &[u8], number: u32) -> Vec<Operand> {
        self.engine.operands(self.system.split(state).0, number)
    }

    elnath_kernel::hand_on! { engine: names, fallible }
}

impl Acceptance for Observer<'_> {
    /// Acceptance labels of a program count only if a property says so, as in the program itself.
    fn sets(&mut self) -> u32 {
        0
    }

    fn marks(&mut self, _state: &[u8], _t: Transition) -> u64 {
        0
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.engine.accepting(self.system.split(state).0)
    }

    fn may_recur(&mut self, state: &[u8]) -> bool {
        self.engine.may_recur(self.system.split(state).0)
    }

    /// The last byte may be that of an event that is still to be seen.
    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}

impl Processes for Observer<'_> {
    fn mover(&mut self, t: Transition) -> Option<u32> {
        if t == self.system.next_event { None } else { self.engine.mover(t) }
    }

    fn movers(&mut self, state: &[u8], t: Transition) -> u64 {
        if t == self.system.next_event { 0 } else { self.engine.movers(self.system.split(state).0, t) }
    }

    fn owing(&mut self, state: &[u8]) -> u64 {
        self.engine.owing(self.system.split(state).0)
    }

    fn locations(&mut self, state: &[u8], out: &mut Vec<u64>) {
        self.engine.locations(self.system.split(state).0, out);
    }

    fn successors_of(&mut self, state: &[u8], process: u32, out: &mut Successors) {
        out.fire_some(self, state, |stepper, t| stepper.mover(t) == Some(process));
    }
}

impl Tally for Observer<'_> {
    fn work(&self) -> u64 {
        self.engine.work() + self.walker.work()
    }

    /// The actions of the program have other numbers here.
    fn unfired(&self) -> Vec<Action> {
        Vec::new()
    }
}

/// How many events each command may be heard with, at most: 0, 1, or 2 for several.
///
/// An atomic command is heard with those that may follow it; a send that may be a rendez-vous, with what any receiver
/// does. Numbers only grow from round to round, and not beyond 2, so that loops end.
fn most_events(program: &Program) -> Vec<u8> {
    let mut most: Vec<Vec<u8>> =
        program.processes.iter().map(|process| vec![0; process.commands.len()]).collect();
    let meets = program.channels.iter().any(|channel| channel.capacity == Capacity::Rendezvous);
    loop {
        let mut changed = false;
        let receives = |(process, most): (&ProcessType, &Vec<u8>)| {
            let may_receive = |command: &Command| {
                received_from(command).is_some() || matches!(command.guard, Guard::Body { .. })
            };
            let all = process.commands.iter().zip(most).filter(|(command, _)| may_receive(command));
            all.map(|(_, &most)| most).max().unwrap_or(0)
        };
        let by_receiver = program.processes.iter().zip(&most).map(receives).max().unwrap_or(0);
        for (process, most) in program.processes.iter().zip(&mut most) {
            for (id, command) in process.commands.iter().enumerate() {
                let mut events = own_events(process, command);
                if command.atomic {
                    let following = process.leaving(command.target);
                    events += following.map(|(id, _)| most[id.index()]).max().unwrap_or(0);
                }
                if meets && sent_to(command).is_some() {
                    events += by_receiver.saturating_sub(1);
                }
                let events = events.min(2);
                changed |= events > most[id];
                most[id] = events.max(most[id]);
            }
        }
        if !changed {
            return most.concat();
        }
    }
}

/// The events of a command alone.
fn own_events(process: &ProcessType, command: &Command) -> u8 {
    let body = match command.guard {
        Guard::Body { entry, exit } if body_is_heard(process, entry, exit) => 2,
        _ => 0,
    };
    u8::from(communicates(command)) + prints(command).min(2) as u8 + body
}

/// Whether something in a deterministic sequence is heard.
fn body_is_heard(process: &ProcessType, entry: Loc, exit: Loc) -> bool {
    let mut inner = inner(process, entry, exit).into_iter().flat_map(|at| process.leaving(at));
    inner.any(|(_, command)| command.guard != Guard::Exit && own_events(process, command) > 0)
}
