//! The interpreter: what a program means.
//!
//! It walks expressions as they are, because being obviously right is worth more here than being fast; the machine-code
//! engine is compared with it.
//!
//! How states and transitions are found is in [`walker`], what executing a command does in [`machine`], what its
//! expressions mean in [`eval`], and what may go wrong in [`fault`].

mod claim;
mod disabled;
mod eval;
mod explain;
mod fault;
mod fields;
mod inspect;
mod machine;
mod meeting;
mod observe;
mod operands;
mod proposition;
mod record;
mod show;
mod story;
mod trace;
mod unfold;
mod walker;

pub use claim::Claimed;
pub use explain::{Micro, Partner};
pub use fault::{Cause, FaultAt};
pub use meeting::Meeting;
pub use observe::Observed;
pub use record::Recorder;
pub use trace::{ChannelEvent, ChannelOp, EventPattern, Trace, Traced};

use crate::analysis::{Observation, Operation, created, for_each_operation, observes};
use crate::ir::{Command, CommandId, Expr, Guard, Loc, ProcessId, Program};
use crate::layout::{Layout, Tables};
use crate::verify::verify;
use elnath_kernel::event::{Disabled, Field, StatePart};
use elnath_kernel::{Action, Describe, Event, Fault, Stepper, System, Transition};
use eval::{Move, View};
use fault::CAUSES;
use machine::Machine;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use walker::Walker;

/// A program as a [`System`].
pub struct Interpreter {
    program: Program,
    layout: Layout,
    initial: Vec<u8>,
    /// Where the hidden variables lie.
    hidden: Vec<Range<usize>>,
    /// Whether `timeout` occurs, so that states without moves are looked at twice.
    uses_timeout: bool,
    /// For each kind of process, how many commands the kinds before it have.
    first_command: Vec<u32>,
    /// Whether ways through an atomic sequence that meet may be taken for one.
    merges: bool,
    /// What this was made of.
    origin: Option<Arc<Interpreter>>,
    /// Whether that was by slicing, so that loops need not close there.
    is_sliced: bool,
}

/// Bits of a [`Transition`]: the outcome lowest, then the command, the process, and whether it is one of those that
/// exist only because there are no others (so that firing it can tell what `timeout` is).
pub const OUTCOME_BITS: u32 = 20;
/// See [`OUTCOME_BITS`].
pub const COMMAND_BITS: u32 = 20;
/// See [`OUTCOME_BITS`].
pub const PID_BITS: u32 = 8;
const TIMEOUT_BITS: u32 = 1;
const CAUSE_BITS: u32 = 4;

impl Interpreter {
    /// Prepares a program for being walked.
    ///
    /// # Errors
    /// The fault that making its initial state runs into.
    pub fn new(program: Program) -> Result<Self, FaultAt> {
        debug_assert_eq!(verify(&program), Ok(()), "a front end makes only programs that can be verified");
        let layout = Layout::new(&program);
        let mut machine = Machine::new(&program, &layout);
        machine.initial().map_err(|cause| FaultAt { cause, at: None })?;
        let initial = machine.state;
        let uses_timeout = program.processes.iter().any(|process| {
            process.provided.iter().any(mentions_timeout)
                || process.commands.iter().any(command_mentions_timeout)
        });
        let mut first_command = Vec::new();
        let mut commands = 0;
        for process in &program.processes {
            first_command.push(commands);
            commands += process.commands.len() as u32;
        }
        let hidden = program.globals.iter().zip(&layout.globals).filter(|(variable, _)| variable.hidden);
        let hidden = hidden
            .map(|(variable, &at)| at..at + variable.ty.size() as usize * variable.len() as usize)
            .collect();
        Ok(Self {
            program,
            layout,
            initial,
            hidden,
            uses_timeout,
            first_command,
            merges: true,
            origin: None,
            is_sliced: false,
        })
    }

    /// Tells apart all ways through an atomic sequence, however many: for those who look at what happens on the way.
    #[must_use]
    pub fn keeping_all_ways(mut self) -> Self {
        self.merges = false;
        self
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Where things lie in its states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The state in which everything begins.
    pub fn initial_state(&self) -> &[u8] {
        &self.initial
    }

    /// Where the hidden variables lie, which hold their initial value in every complete state.
    pub fn hidden(&self) -> &[Range<usize>] {
        &self.hidden
    }

    /// Whether `timeout` occurs, so that a state without moves is looked at twice.
    pub fn uses_timeout(&self) -> bool {
        self.uses_timeout
    }

    /// The number of a command among those of all kinds of processes.
    pub fn command_number(&self, process: ProcessId, command: CommandId) -> u32 {
        self.first_command[process.index()] + command.0
    }

    fn walker(&self) -> Walker<'_> {
        Walker::new(self)
    }

    fn view<'a>(&'a self, state: &'a [u8], tables: &'a Tables, pid: usize, timeout: bool) -> View<'a> {
        View::new(&self.program, &self.layout, state, tables, pid, timeout)
    }

    /// Gives hidden variables their initial value again, so that they do not tell states apart.
    fn settle(&self, state: &mut [u8]) {
        for range in &self.hidden {
            state[range.clone()].copy_from_slice(&self.initial[range.clone()]);
        }
    }

    fn command(&self, process: ProcessId, command: CommandId) -> &Command {
        &self.program.processes[process.index()].commands[command.index()]
    }

    fn fault(&self, (cause, process, command): (Cause, ProcessId, CommandId)) -> Fault {
        let number = self.first_command[process.index()] + command.0;
        Fault(number << CAUSE_BITS | cause as u32)
    }

    /// What a fault of this program means.
    pub fn fault_at(&self, fault: Fault) -> FaultAt {
        let cause = CAUSES[(fault.0 & ((1 << CAUSE_BITS) - 1)) as usize];
        let number = fault.0 >> CAUSE_BITS;
        let process = self.first_command.partition_point(|&first| first <= number) - 1;
        let command = CommandId(number - self.first_command[process]);
        FaultAt { cause, at: Some((ProcessId(process as u32), command)) }
    }
}

fn encode(step: Move, outcome: u32) -> Transition {
    let (pid, command, timeout) = (step.pid as u64, u64::from(step.command.0), u64::from(step.timeout));
    let who = (timeout << PID_BITS | pid) << COMMAND_BITS | command;
    Transition(who << OUTCOME_BITS | u64::from(outcome))
}

fn decode(t: Transition) -> (Move, u32) {
    let outcome = (t.0 & ((1 << OUTCOME_BITS) - 1)) as u32;
    let command = CommandId((t.0 >> OUTCOME_BITS & ((1 << COMMAND_BITS) - 1)) as u32);
    let pid = (t.0 >> (OUTCOME_BITS + COMMAND_BITS) & ((1 << PID_BITS) - 1)) as usize;
    let timeout = t.0 >> (OUTCOME_BITS + COMMAND_BITS + PID_BITS) != 0;
    (Move { pid, command, partner: None, meeting: None, timeout }, outcome)
}

impl Interpreter {
    /// Of commands that were not executed, those of which no copy was either: a loop at the beginning of a sequence is
    /// entered by commands of its own, which do what the first of the loop do. (What simplifying added to either does not
    /// count.) And the end of a process is only among them if none has come to it: whether one that has is kept waiting by
    /// younger ones is a matter of the order in which they were created, of which partial order reduction explores one.
    pub fn never_executed(&self, mut unfired: Vec<Action>) -> Vec<Action> {
        let numbers: HashSet<u32> = unfired.iter().map(|action| action.0).collect();
        let written = self.as_written();
        let executed = |process: usize| {
            let commands = written.program.processes[process].commands.iter();
            let numbered = commands.zip(self.first_command[process]..);
            numbered.filter(|(_, number)| !numbers.contains(number)).map(|(command, _)| command)
        };
        // A copy leads to the same place, to which few commands lead.
        let mut leading: HashMap<(usize, Loc), Vec<&Command>> = HashMap::new();
        for process in 0..written.program.processes.len() {
            for command in executed(process) {
                leading.entry((process, command.target)).or_default().push(command);
            }
        }
        unfired.retain(|action| {
            let (process, command) = written.command_of(*action);
            if command.guard != Guard::Exit {
                let same = leading.get(&(process, command.target));
                return !same.is_some_and(|same| same.contains(&command));
            }
            let kind = &written.program.processes[process];
            let id = CommandId(action.0 - self.first_command[process]);
            let is_here = |at: Loc| kind.leaving(at).any(|(leaving, _)| leaving == id);
            let begun = || {
                let mut all = (0..written.program.processes.len()).flat_map(executed);
                written.program.initial.iter().any(|initial| initial.index() == process)
                    || all.any(|command| created(command).any(|created| created.index() == process))
            };
            !(executed(process).any(|other| is_here(other.target)) || is_here(kind.entry) && begun())
        });
        unfired
    }

    /// What all simplifications began with.
    fn as_written(&self) -> &Self {
        self.origin.as_deref().map_or(self, Self::as_written)
    }

    /// All actions, which are its commands.
    pub fn actions(&self) -> impl Iterator<Item = Action> {
        let commands: usize = self.program.processes.iter().map(|process| process.commands.len()).sum();
        (0..commands as u32).map(Action)
    }

    fn command_of(&self, action: Action) -> (usize, &Command) {
        let process = self.first_command.partition_point(|&first| first <= action.0) - 1;
        let command = action.0 - self.first_command[process];
        (process, &self.program.processes[process].commands[command as usize])
    }
}

impl System for Interpreter {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(self.walker())
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Describe for Interpreter {
    fn show_state(&self, state: &[u8]) -> String {
        show::state(self, state)
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        show::parts(self, state)
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        fields::fields(self, state)
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let steps: Vec<String> = self.explain(state, t).iter().map(|micro| self.show_micro(micro)).collect();
        steps.join("; ")
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        story::events(self, state, t)
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        story::actors(self, state)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        story::waiting(self, state)
    }

    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        disabled::disabled(self, state)
    }

    fn action_name(&self, action: Action) -> String {
        let process = self.first_command.partition_point(|&first| first <= action.0) - 1;
        let command = action.0 - self.first_command[process];
        let process = &self.program.processes[process];
        format!("{}: {}", process.name, process.commands[command as usize].text)
    }

    fn action_place(&self, action: Action) -> Option<String> {
        self.command_of(action).1.place.map(|place| self.show_place(place))
    }

    fn fault_name(&self, fault: Fault) -> String {
        self.proposition_fault_name(fault).unwrap_or_else(|| show::fault(self, self.fault_at(fault)))
    }

    fn gave_up(&self, fault: Fault) -> bool {
        self.fault_at(fault).cause == Cause::EndlessAtomic
    }
}

fn command_mentions_timeout(command: &Command) -> bool {
    let mut found = false;
    for_each_operation(command, &mut |operation| {
        found |= matches!(operation, Operation::Evaluate(expr, _) if mentions_timeout(expr));
    });
    found
}

fn mentions_timeout(expr: &Expr) -> bool {
    observes(expr, |observation| matches!(observation, Observation::Timeout))
}
