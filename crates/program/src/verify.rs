//! What a [`Program`] must be like, so that nothing after a front end needs to ask again.
//!
//! A program that breaks one of these was made by a front end with a bug; the interpreter may then panic or go wrong.
//! [`verify`] finds every breach and says in words where it is. The invariants:
//!
//! 1. **Limits.** At most 255 kinds of processes, 65,535 locations and 2^20 - 1 commands in each, 2^28 - 1 commands in
//!    all, 64 propositions, 255 processes at the start, 255 global channels and as many of one process: states and
//!    transitions are encoded in as many bits.
//! 2. **Types.** `Unsigned` has 1 to 32 bits, `Signed` 16 or 32, a `Range` is not empty, a `Symbol` names a set.
//! 3. **Symbols** have values from 0 to 255.
//! 4. **Channels.** A bounded one holds at least one message and at most 2^24 bytes. What a new one holds are messages
//!    of its fields, as they are stored, and it has room for them.
//! 5. **Variables.** Lengths are at least 1 and elements at most 2^24. A list of initial values is not longer than the
//!    variable; only channel variables are initialised with new channels, of a kind that exists; only globals are
//!    hidden.
//! 6. **Parameters** are among the locals, and scalars.
//! 7. **Processes** begin at a location that exists and have a priority of at least 1.
//! 8. **Locations** name commands that exist, none of them twice; a group has at most one `Else`.
//! 9. **Commands** lead to a location that exists and were written in a file that exists; a call that brought them, too, and it lies only in
//!    calls before it.
//! 10. **Special guards.** `Exit`, `Else` and `Body` go with no communication; `Exit` with no effects, and is not atomic.
//! 11. **Bodies.** `entry` and `exit` are different locations that exist. The *inner* locations, reached from `entry`
//!     without passing `exit`, are for bodies only: no process begins there and no command of another location leads
//!     there. Their commands are neither atomic nor `Exit` or `Body`.
//! 12. **Variables that are used** exist and have as many indices as dimensions. Where there is no process (in
//!     propositions and initial values of globals) there are neither locals nor `Pid`.
//! 13. **References** to processes, their locals, their locations and to sets of symbols are to what exists. Polls bind
//!     nothing.
//! 14. **Run** has at most as many arguments as the process has parameters.
//!
//! 15. **Gates.** All values of an offer can be enumerated, and at most 65,536 combinations of those of one gate. A
//!     vector names kinds of processes, none of them twice, and gates with the same offers; a command at a gate has as many
//!     as the gate. Such a command is not atomic and not within a body, and the locations that it leaves have one group without
//!     `Else`.
//! 16. **Place** is to a location of the process that is within no body, and has at most as many arguments as there are parameters.
//!
//! What only a run can tell is not here: whether an index is in range, a channel variable holds a channel, a message has
//! as many fields as its channel. Those are faults of the model, not of the front end.

use crate::ir::{
    Capacity, Command, Effect, Expr, Guard, Init, Loc, Lvalue, Pattern, Place, ProcessId, ProcessType,
    Program, SymbolsId, Sync, Type, Variable, VariableRef,
};
use std::collections::HashSet;
use std::fmt;

/// A breach of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The number of the invariant in the list at the head of this [module](self).
    pub invariant: u8,
    /// Where in the program, in words; empty if it concerns the whole.
    pub at: String,
    /// What is wrong there.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.at.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{} (invariant {})", self.at, self.text, self.invariant)
    }
}

/// Checks all invariants.
///
/// # Errors
/// Every breach, in the order of the program.
pub fn verify(program: &Program) -> Result<(), Vec<Violation>> {
    let mut verifier = Verifier { program, process: None, at: String::new(), violations: Vec::new() };
    verifier.program();
    if verifier.violations.is_empty() { Ok(()) } else { Err(verifier.violations) }
}

const MOST_PROCESSES: usize = 255;
const MOST_CHANNELS: usize = 255;
const MOST_PROPOSITIONS: usize = 64;
const MOST_LOCATIONS: usize = 65_535;
const MOST_COMMANDS: usize = (1 << 20) - 1;
const MOST_COMMANDS_IN_ALL: usize = (1 << 28) - 1;
/// Elements of a variable, bytes of a channel.
const MOST_ROOM: u64 = 1 << 24;

/// Combinations of values at a gate.
const MOST_OFFERED: usize = 1 << 16;

struct Verifier<'a> {
    program: &'a Program,
    /// The process whose locals can be meant.
    process: Option<&'a ProcessType>,
    /// Where we are, in words.
    at: String,
    violations: Vec<Violation>,
}

impl<'a> Verifier<'a> {
    fn check(&mut self, invariant: u8, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(Violation { invariant, at: self.at.clone(), text: text() });
        }
    }

    fn at_most(&mut self, found: usize, most: usize, what: &str) {
        self.check(1, found <= most, || format!("{found} {what}, and there may be {most}"));
    }

    fn program(&mut self) {
        let program = self.program;
        self.at_most(program.processes.len(), MOST_PROCESSES, "kinds of processes");
        self.at_most(program.initial.len(), MOST_PROCESSES, "processes at the start");
        self.at_most(program.propositions.len(), MOST_PROPOSITIONS, "propositions");
        let commands = program.processes.iter().map(|process| process.commands.len()).sum();
        self.at_most(commands, MOST_COMMANDS_IN_ALL, "commands in all");
        for set in &program.symbols {
            self.at = format!("symbols {}", set.name);
            for (name, value) in &set.members {
                self.check(3, (0..=255).contains(value), || format!("{name} has the value {value}"));
            }
        }
        for (index, channel) in program.channels.iter().enumerate() {
            self.at = format!("channel {index}");
            channel.fields.iter().for_each(|&field| self.ty(field));
            if let Capacity::Bounded(capacity) = channel.capacity {
                let bytes = u64::from(capacity) * u64::from(channel.message_size());
                let fits = capacity >= 1 && bytes <= MOST_ROOM;
                self.check(4, fits, || {
                    format!("it has room for {capacity} messages of {bytes} bytes in all")
                });
            }
            let room = match channel.capacity {
                Capacity::Rendezvous => 0,
                Capacity::Bounded(capacity) => capacity as usize,
                Capacity::Unbounded => usize::MAX,
            };
            let held = &channel.contents;
            self.check(4, held.len() <= room, || format!("it holds {} messages at first", held.len()));
            let fits = |message: &Vec<i32>| {
                let stays = |(ty, value): (&Type, &i32)| ty.store(*value) == Some(*value);
                message.len() == channel.fields.len() && channel.fields.iter().zip(message).all(stays)
            };
            self.check(4, held.iter().all(fits), || "it holds what is no message of it at first".to_owned());
        }
        for gate in &program.gates {
            self.at = format!("gate {}", gate.name);
            let mut combinations = 1;
            for &ty in &gate.offers {
                self.ty(ty);
                let values = ty.values(program);
                self.check(15, values.is_some(), || format!("the values of {ty:?} cannot be enumerated"));
                combinations *= values.map_or(1, |values| values.len().min(MOST_OFFERED + 1));
                self.check(15, combinations <= MOST_OFFERED, || "there are too many offers".to_owned());
                combinations = combinations.min(MOST_OFFERED);
            }
        }
        for (number, vector) in program.vectors.iter().enumerate() {
            self.at = format!("vector {number}");
            let mut seen = HashSet::new();
            self.check(15, !vector.members.is_empty(), || "nobody takes part".to_owned());
            let mut common = None;
            for &(process, gate) in &vector.members {
                self.process_exists(process);
                self.check(15, seen.insert(process), || format!("process {} takes part twice", process.0));
                let gate = program.gates.get(gate.index());
                self.check(15, gate.is_some(), || "there is no such gate".to_owned());
                let Some(gate) = gate else { continue };
                let same = *common.get_or_insert(&gate.offers) == &gate.offers;
                self.check(15, same, || format!("gate {} has other offers", gate.name));
            }
        }
        for variable in &program.globals {
            self.at = format!("global {}", variable.name);
            self.variable(variable);
        }
        self.at.clear();
        self.channels_of(&program.globals);
        for &process in &program.initial {
            self.process_exists(process);
        }
        for (name, expr) in &program.propositions {
            self.at = format!("proposition {name}");
            self.expr(expr);
        }
        for process in &program.processes {
            self.process = Some(process);
            self.process_type(process);
        }
        for (number, call) in self.program.calls.iter().enumerate() {
            self.place(call.place, number);
        }
    }

    fn ty(&mut self, ty: Type) {
        let holds = match ty {
            Type::Unsigned(bits) => (1..=32).contains(&bits),
            Type::Signed(bits) => bits == 16 || bits == 32,
            Type::Bool | Type::Channel => true,
            Type::Symbol(set) => set.index() < self.program.symbols.len(),
            Type::Range(low, high) => low <= high,
        };
        self.check(2, holds, || format!("{ty:?} is not a type"));
    }

    fn variable(&mut self, variable: &Variable) {
        self.ty(variable.ty);
        let elements = variable.dims.iter().try_fold(1u64, |product, &length| {
            let product = product.saturating_mul(u64::from(length));
            (1..=MOST_ROOM).contains(&product).then_some(product)
        });
        self.check(5, elements.is_some(), || format!("its lengths are {:?}", variable.dims));
        self.check(5, !variable.hidden || self.process.is_none(), || "a local is hidden".to_owned());
        match &variable.init {
            Init::Zero => {}
            Init::Value(expr) => self.expr(expr),
            Init::List(exprs) => {
                let fits = elements.is_none_or(|elements| exprs.len() as u64 <= elements);
                self.check(5, fits, || format!("it has {} initial values", exprs.len()));
                exprs.iter().for_each(|expr| self.expr(expr));
            }
            Init::Channel(channel) => {
                self.check(5, variable.ty == Type::Channel, || "a new channel is put into it".to_owned());
                let exists = channel.index() < self.program.channels.len();
                self.check(5, exists, || format!("there is no kind of channel {}", channel.0));
            }
        }
    }

    fn channels_of(&mut self, variables: &[Variable]) {
        let made = variables.iter().filter(|variable| matches!(variable.init, Init::Channel(_)));
        let elements = made.map(|variable| {
            variable.dims.iter().fold(1usize, |n, &length| n.saturating_mul(length as usize))
        });
        self.at_most(elements.fold(0, usize::saturating_add), MOST_CHANNELS, "channels");
    }

    fn process_type(&mut self, process: &'a ProcessType) {
        self.at = format!("process {}", process.name);
        self.at_most(process.locations.len(), MOST_LOCATIONS, "locations");
        self.at_most(process.commands.len(), MOST_COMMANDS, "commands");
        self.channels_of(&process.locals);
        let parameters = process.parameters as usize;
        let declared = process.locals.get(..parameters);
        self.check(6, declared.is_some(), || {
            format!("{parameters} parameters, but {} locals", process.locals.len())
        });
        for parameter in declared.unwrap_or_default() {
            self.check(6, parameter.dims.is_empty(), || {
                format!("the parameter {} is an array", parameter.name)
            });
        }
        self.check(7, self.exists(process.entry), || format!("it begins at {}", process.entry.0));
        self.check(7, process.priority >= 1, || "its priority is 0".to_owned());
        process.provided.iter().for_each(|provided| self.expr(provided));
        for local in &process.locals {
            self.at = format!("process {}, local {}", process.name, local.name);
            self.variable(local);
        }
        self.locations(process);
        for (index, command) in process.commands.iter().enumerate() {
            self.at = format!("process {}, command #{index} ({})", process.name, command.text);
            self.command(command);
        }
        self.bodies(process);
    }

    fn locations(&mut self, process: &ProcessType) {
        for (index, location) in process.locations.iter().enumerate() {
            self.at = format!("process {}, location {index}", process.name);
            let mut seen = HashSet::new();
            for group in &location.groups {
                let mut elses = 0;
                for &id in group {
                    self.check(8, seen.insert(id), || format!("command #{} leaves it twice", id.0));
                    let command = process.commands.get(id.index());
                    self.check(8, command.is_some(), || format!("there is no command #{}", id.0));
                    if command.is_some_and(|command| matches!(command.guard, Guard::Else)) {
                        elses += 1;
                    }
                }
                self.check(8, elses <= 1, || format!("a group has {elses} else"));
            }
            let mut leaving =
                location.groups.iter().flatten().filter_map(|id| process.commands.get(id.index()));
            if leaving.clone().any(|command| matches!(command.sync, Sync::Gate { .. })) {
                let plain =
                    location.groups.len() == 1 && !leaving.any(|command| command.guard == Guard::Else);
                self.check(15, plain, || "at a gate, there are several groups or an else".to_owned());
            }
        }
    }

    /// Whether the current process has this location.
    fn exists(&self, location: Loc) -> bool {
        self.process.is_some_and(|process| location.index() < process.locations.len())
    }

    /// A place may be in one of the first calls only.
    fn place(&mut self, place: Place, calls: usize) {
        let exists = (place.file as usize) < self.program.files.len();
        self.check(9, exists, || format!("there is no file {}", place.file));
        let called = place.call.is_none_or(|call| (call as usize) < calls);
        self.check(9, called, || format!("there is no call {:?}", place.call));
    }

    fn command(&mut self, command: &Command) {
        self.check(9, self.exists(command.target), || format!("it leads to {}", command.target.0));
        if let Some(place) = command.place {
            self.place(place, self.program.calls.len());
        }
        let special = match &command.guard {
            Guard::Always => None,
            Guard::When(expr) => {
                self.expr(expr);
                None
            }
            Guard::Else => Some("else"),
            Guard::Body { .. } => Some("a body"),
            Guard::Exit => Some("exit"),
        };
        if let Some(guard) = special {
            self.check(10, command.sync == Sync::None, || format!("{guard} with communication"));
        }
        if command.guard == Guard::Exit {
            self.check(10, command.effects.is_empty(), || "exit with effects".to_owned());
            self.check(10, !command.atomic, || "exit is atomic".to_owned());
        }
        match &command.sync {
            Sync::None => {}
            Sync::Send { channel, fields, .. } => {
                self.expr(channel);
                fields.iter().for_each(|field| self.expr(field));
            }
            Sync::Receive { channel, patterns, .. } => {
                self.expr(channel);
                self.patterns(patterns);
            }
            Sync::Gate { gate, offers, when } => {
                let declared = self.program.gates.get(gate.index());
                let fits = declared.is_some_and(|gate| gate.offers.len() == offers.len());
                self.check(15, fits, || format!("{} offers at gate {}", offers.len(), gate.0));
                self.check(15, !command.atomic, || "at a gate, it is atomic".to_owned());
                self.patterns(offers);
                when.iter().for_each(|when| self.expr(when));
            }
        }
        command.effects.iter().for_each(|effect| self.effect(effect));
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Assign(lvalue, expr) => {
                self.lvalue(lvalue);
                self.expr(expr);
            }
            Effect::Run { process, arguments, priority, result } => {
                self.process_exists(*process);
                let parameters =
                    self.program.processes.get(process.index()).map(|process| process.parameters);
                let fits = parameters.is_none_or(|parameters| arguments.len() <= parameters as usize);
                self.check(14, fits, || format!("{} arguments", arguments.len()));
                arguments.iter().chain(priority).for_each(|expr| self.expr(expr));
                result.iter().for_each(|lvalue| self.lvalue(lvalue));
            }
            Effect::Assert(expr) => self.expr(expr),
            Effect::Print { arguments, .. } => {
                for (expr, set) in arguments {
                    self.expr(expr);
                    set.iter().for_each(|&set| self.symbols_exist(set));
                }
            }
            Effect::SetPriority { process, priority } => {
                self.expr(process);
                self.expr(priority);
            }
            Effect::Place { process, at, arguments } => {
                self.process_exists(*process);
                if let Some(process) = self.program.processes.get(process.index()) {
                    let exists = at.index() < process.locations.len();
                    self.check(16, exists, || format!("{} has no location {}", process.name, at.0));
                    let inner = all_inner_locations(process);
                    self.check(16, !inner.contains(at), || format!("location {} is within a body", at.0));
                    let fits = arguments.len() <= process.parameters as usize;
                    self.check(16, fits, || format!("{} arguments", arguments.len()));
                }
                arguments.iter().for_each(|argument| self.expr(argument));
            }
        }
    }

    fn bodies(&mut self, process: &ProcessType) {
        let mut inner = HashSet::new();
        for (index, command) in process.commands.iter().enumerate() {
            let Guard::Body { entry, exit } = command.guard else { continue };
            self.at = format!("process {}, command #{index} ({})", process.name, command.text);
            let exist = self.exists(entry) && self.exists(exit) && entry != exit;
            self.check(11, exist, || format!("its body is from {} to {}", entry.0, exit.0));
            if exist {
                inner_locations(process, entry, exit, &mut inner);
            }
        }
        if inner.is_empty() {
            return;
        }
        self.at = format!("process {}", process.name);
        self.check(11, !inner.contains(&process.entry), || "it begins within a body".to_owned());
        for (index, location) in process.locations.iter().enumerate() {
            let inside = inner.contains(&Loc(index as u32));
            for id in location.groups.iter().flatten() {
                let Some(command) = process.commands.get(id.index()) else { continue };
                self.at = format!("process {}, command #{} ({})", process.name, id.0, command.text);
                if inside {
                    self.check(11, !command.atomic, || "within a body, it is atomic".to_owned());
                    let plain = matches!(command.guard, Guard::Always | Guard::When(_) | Guard::Else);
                    self.check(11, plain, || "within a body, it is an exit or a body".to_owned());
                    let meets = matches!(command.sync, Sync::Gate { .. });
                    self.check(15, !meets, || "within a body, it meets others at a gate".to_owned());
                } else {
                    let enters = inner.contains(&command.target);
                    self.check(11, !enters, || format!("it leads into a body, to {}", command.target.0));
                }
            }
        }
    }

    fn process_exists(&mut self, process: ProcessId) {
        let exists = process.index() < self.program.processes.len();
        self.check(13, exists, || format!("there is no process {}", process.0));
    }

    fn symbols_exist(&mut self, set: SymbolsId) {
        let exists = set.index() < self.program.symbols.len();
        self.check(13, exists, || format!("there are no symbols {}", set.0));
    }

    fn lvalue(&mut self, lvalue: &Lvalue) {
        let (variables, index, kind) = match lvalue.variable {
            VariableRef::Global(index) => (Some(&self.program.globals), index, "global"),
            VariableRef::Local(index) => (self.process.map(|process| &process.locals), index, "local"),
        };
        let variable = variables.and_then(|variables| variables.get(index as usize));
        self.check(12, variable.is_some(), || format!("there is no {kind} {index}"));
        self.element(12, variable, &lvalue.indices);
    }

    fn element(&mut self, invariant: u8, variable: Option<&Variable>, indices: &[Expr]) {
        if let Some(variable) = variable {
            let fits = variable.dims.len() == indices.len();
            self.check(invariant, fits, || {
                format!("{} is used with {} indices", variable.name, indices.len())
            });
        }
        indices.iter().for_each(|index| self.expr(index));
    }

    fn patterns(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            match pattern {
                Pattern::Bind(lvalue) => self.lvalue(lvalue),
                Pattern::Match(expr) => self.expr(expr),
                Pattern::Any => {}
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(_) | Expr::ProcessCount | Expr::Last | Expr::Timeout | Expr::NonProgress => {}
            Expr::Pid => {
                self.check(12, self.process.is_some(), || "there is no process to number".to_owned());
            }
            Expr::Load(lvalue) => self.lvalue(lvalue),
            Expr::Unary(_, a) | Expr::Channel(_, a) => self.expr(a),
            Expr::Location(a) | Expr::Enabled(a) | Expr::Priority(a) => self.expr(a),
            Expr::Binary(_, ab) => ab.iter().for_each(|a| self.expr(a)),
            Expr::Cond(parts) => parts.iter().for_each(|part| self.expr(part)),
            Expr::Poll { channel, patterns, .. } => {
                let binds = patterns.iter().any(|pattern| matches!(pattern, Pattern::Bind(_)));
                self.check(13, !binds, || "a poll binds a variable".to_owned());
                self.expr(channel);
                self.patterns(patterns);
            }
            Expr::Remote { process, pid, variable, indices } => {
                self.process_exists(*process);
                if let Some(process) = self.program.processes.get(process.index()) {
                    let local = process.locals.get(*variable as usize);
                    self.check(13, local.is_some(), || format!("{} has no local {variable}", process.name));
                    self.element(13, local, indices);
                }
                pid.iter().for_each(|pid| self.expr(pid));
            }
            Expr::At { process, pid, locations } => {
                self.process_exists(*process);
                if let Some(process) = self.program.processes.get(process.index()) {
                    let exist = locations.iter().all(|location| location.index() < process.locations.len());
                    self.check(13, exist, || format!("{} does not have all of {locations:?}", process.name));
                }
                pid.iter().for_each(|pid| self.expr(pid));
            }
        }
    }
}

/// All locations within bodies.
fn all_inner_locations(process: &ProcessType) -> HashSet<Loc> {
    let mut inner = HashSet::new();
    for command in &process.commands {
        if let Guard::Body { entry, exit } = command.guard {
            inner_locations(process, entry, exit, &mut inner);
        }
    }
    inner
}

/// Adds the locations that a body from `entry` to `exit` passes through.
fn inner_locations(process: &ProcessType, entry: Loc, exit: Loc, inner: &mut HashSet<Loc>) {
    let mut seen = HashSet::from([entry]);
    let mut todo = vec![entry];
    while let Some(at) = todo.pop() {
        let Some(location) = process.locations.get(at.index()) else { continue };
        let commands = location.groups.iter().flatten().filter_map(|id| process.commands.get(id.index()));
        todo.extend(commands.map(|command| command.target).filter(|&to| to != exit && seen.insert(to)));
    }
    inner.extend(seen);
}
