//! The intermediate representation: process types with control locations and guarded commands, bounded variables,
//! channels.
//!
//! The design follows from what must be carried. Promela needs processes that are created and end dynamically, a frame
//! of variables each, channels as values, rendez-vous, atomic and deterministic sequences, `else`, `timeout`, `unless`,
//! priorities. Communicating machines and Estelle need unbounded channels and subranges. So:
//!
//! * **Variables are scalars or arrays of scalars**, with any number of dimensions. A structure is taken apart into one
//!   variable per field; an array of structures into one array per field. Nothing below a front end knows structures.
//! * **A location has groups of commands**, in order; only the first group in which a command is executable is tried.
//!   One group is the normal case; `unless` puts its escapes into an earlier one.
//! * **A command is one statement**: guard, communication, effects, target. Atomicity is a property of commands
//!   ([`Command::atomic`]): after one that has it the process goes on alone, and the state in between is not a state of
//!   the system unless the process is blocked there. A deterministic sequence (`d_step`) is one command with a body of
//!   inner locations.
//! * **Channels are typed, numbered in the order of their creation**, and belong to the global part or to a process,
//!   with which they go. A capacity is a number, none (rendez-vous) or without bound.
//! * **Communication is a field of the command** ([`Sync`]), not an effect, because it decides executability together
//!   with the guard and may involve other processes. What a command can do with others is enumerated as *outcomes*, of
//!   which a rendez-vous has one per possible partner, so that nothing outside the interpreter counts partners.
//! * **Any number of processes meet at gates**, as in LOTOS. Who meets is said once for the program, by
//!   [synchronisation vectors](Vector): each names kinds of processes and the gate at which each of them takes part. (A list of gates for
//!   every parallel operator would do, too; but then the interpreter would have to know the operators, and `hide`.) The process of the
//!   first kind in the vector is the one that moves, so that each joint step is one transition. Offers are
//!   [`Pattern`]s: `Match` gives a value, `Bind` and `Any` take one. All participants must agree, and what nobody gives is enumerated. Then values
//!   are stored, predicates tested, all participants move on, and their effects follow in the order of the vector.
//!
//! Arithmetic is C's on 32-bit integers, wrapping; storing truncates to the variable's type.

use std::ops::Range;

/// A whole program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Its name, for reports.
    pub name: String,
    /// The files it was written in, for [`Place::file`].
    pub files: Vec<String>,
    /// The uses of pieces of text that are written once and used in several places, for [`Place::call`].
    pub calls: Vec<Call>,
    /// Sets of named values.
    pub symbols: Vec<SymbolSet>,
    /// The variables that all processes see; initialised in this order before any process exists.
    pub globals: Vec<Variable>,
    /// The kinds of channels.
    pub channels: Vec<ChannelType>,
    /// The gates at which processes meet.
    pub gates: Vec<Gate>,
    /// Who meets at them.
    pub vectors: Vec<Vector>,
    /// The kinds of processes.
    pub processes: Vec<ProcessType>,
    /// The processes that exist at the start, in the order of their numbers.
    pub initial: Vec<ProcessId>,
    /// Expressions over globals whose truth can be asked for in any state, with their names.
    pub propositions: Vec<(String, Expr)>,
    /// Whether the number of the process that moved last is part of the state.
    pub tracks_last: bool,
    /// Whether processes have priorities, so that only those of the highest move.
    pub has_priorities: bool,
}

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into the table it belongs to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

indices! {
    /// An index into [`Program::processes`].
    ProcessId,
    /// An index into [`Program::channels`].
    ChannelId,
    /// An index into [`Program::gates`].
    GateId,
    /// An index into [`Program::symbols`].
    SymbolsId,
    /// An index into [`ProcessType::locations`].
    Loc,
    /// An index into [`ProcessType::commands`].
    CommandId,
}

/// Named values, such as Promela's `mtype`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolSet {
    /// The name of the set.
    pub name: String,
    /// Names and values.
    pub members: Vec<(String, i32)>,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// So many bits, 1 to 32; storing keeps the lowest. 32 bits read as a signed number.
    Unsigned(u8),
    /// One bit that people read as `true` or `false`.
    Bool,
    /// 16 or 32 bits in two's complement.
    Signed(u8),
    /// A number of a channel; 0 is none. 8 bits.
    Channel,
    /// A named value; 8 bits.
    Symbol(SymbolsId),
    /// Storing anything outside is a fault.
    Range(i32, i32),
}

impl Type {
    /// Bytes in the state.
    pub fn size(self) -> u32 {
        match self {
            Type::Unsigned(bits) | Type::Signed(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
            Type::Bool | Type::Channel | Type::Symbol(_) => 1,
            Type::Range(low, high) if low >= 0 && high < 1 << 8 => 1,
            Type::Range(low, high) if low >= 0 && high < 1 << 16 => 2,
            Type::Range(..) => 4,
        }
    }

    /// What is left of a value when it is stored; `None` if it may not be stored.
    #[inline]
    pub fn store(self, value: i32) -> Option<i32> {
        Some(match self {
            Type::Unsigned(bits) if bits < 32 => value & ((1 << bits) - 1),
            Type::Signed(16) => i32::from(value as i16),
            Type::Unsigned(_) | Type::Signed(_) => value,
            Type::Bool => value & 1,
            Type::Channel | Type::Symbol(_) => value & 0xff,
            Type::Range(low, high) => return (low..=high).contains(&value).then_some(value),
        })
    }
}

/// A gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// What is offered there; of each type all values can be enumerated.
    pub offers: Vec<Type>,
}

/// A set of processes that act together: a synchronisation vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// One process of each of these kinds, and the gate of the command with which it takes part. The first is the one that moves.
    pub members: Vec<(ProcessId, GateId)>,
    /// What is seen of it, besides the values; nothing if it is hidden.
    pub label: Option<String>,
}

/// A variable or an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name; fields of structures are `v.f`.
    pub name: String,
    /// The type of an element.
    pub ty: Type,
    /// Nothing for a scalar; else the lengths, outermost first.
    pub dims: Vec<u32>,
    /// What it holds at first.
    pub init: Init,
    /// Not part of the state: holds its initial value again whenever a state is complete.
    pub hidden: bool,
}

impl Variable {
    /// How many elements there are.
    pub fn len(&self) -> u32 {
        self.dims.iter().product()
    }

    /// Never: a variable has at least one element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a variable holds when it comes into being.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// 0, or the argument if it is a parameter.
    Zero,
    /// This value, in every element.
    Value(Expr),
    /// One value per element; the others are 0.
    List(Vec<Expr>),
    /// A new channel in every element.
    Channel(ChannelId),
}

/// How many messages a channel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// None: sender and receiver move together.
    Rendezvous,
    /// So many; a full one blocks the sender.
    Bounded(u32),
    /// Any number.
    Unbounded,
}

/// A kind of channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelType {
    /// How many messages it holds.
    pub capacity: Capacity,
    /// What a message consists of.
    pub fields: Vec<Type>,
    /// The messages that a new one holds, a value for each field.
    pub contents: Vec<Vec<i32>>,
}

impl ChannelType {
    /// Bytes of one message in the state.
    pub fn message_size(&self) -> u32 {
        self.fields.iter().map(|field| field.size()).sum()
    }
}

/// A kind of process.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessType {
    /// Its name.
    pub name: String,
    /// How many of the locals are parameters; they come first and are scalars.
    pub parameters: u32,
    /// Its variables, all of them for as long as it lives; initialised in this order when it is created.
    pub locals: Vec<Variable>,
    /// Its control locations.
    pub locations: Vec<Location>,
    /// Its commands.
    pub commands: Vec<Command>,
    /// Where it starts.
    pub entry: Loc,
    /// It moves only while this is true.
    pub provided: Option<Expr>,
    /// Its priority, unless it is created with another.
    pub priority: u8,
}

/// A place where a process can rest (or, within a deterministic sequence, pass through).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Location {
    /// The commands that leave it: of the groups, the first with an executable command is the only one that counts.
    pub groups: Vec<Vec<CommandId>>,
    /// The labels that name it.
    pub labels: Vec<String>,
    /// A run may end with a process here.
    pub end: bool,
    /// Acceptance and progress, for temporal questions.
    pub accept: bool,
    /// See `accept`.
    pub progress: bool,
}

/// A guarded command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// When it may be executed, as far as it alone is concerned.
    pub guard: Guard,
    /// With whom.
    pub sync: Sync,
    /// What it does then, in order.
    pub effects: Vec<Effect>,
    /// Where it leads.
    pub target: Loc,
    /// Whether the process goes on alone from there, if it can.
    pub atomic: bool,
    /// The statement as written.
    pub text: String,
    /// Where it was written.
    pub place: Option<Place>,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// An index into [`Program::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// What brought the statement to where it is executed, if it is written elsewhere: an index into [`Program::calls`].
    pub call: Option<u32>,
}

/// One use of a piece of text with a name, such as an `inline` of Promela.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name.
    pub name: String,
    /// Where it is used. A call in there comes earlier in the list.
    pub place: Place,
}

/// When a command may be executed.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// At any time.
    Always,
    /// When the expression is not 0.
    When(Expr),
    /// When no command before it in its group is executable; within a deterministic sequence, when no other is at all.
    Else,
    /// When some command of this inner location is: the command is a deterministic sequence, which is executed to the
    /// end in one step, always taking the first executable command. It ends on reaching `exit`. Nobody is met on the
    /// way: a send to a rendez-vous channel is not executable there.
    Body {
        /// Where it begins.
        entry: Loc,
        /// Where it ends.
        exit: Loc,
    },
    /// When the process is the youngest: it ends, and its channels with it.
    Exit,
}

/// What a command does together with a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum Sync {
    /// Nothing.
    None,
    /// Puts a message into a channel.
    Send {
        /// Which channel.
        channel: Expr,
        /// The message.
        fields: Vec<Expr>,
        /// Before the first message that is greater, instead of at the end.
        sorted: bool,
    },
    /// Takes a message out of a channel.
    Receive {
        /// Which channel.
        channel: Expr,
        /// What must match, and where the rest goes.
        patterns: Vec<Pattern>,
        /// The first message that matches, instead of the first.
        random: bool,
        /// The message stays where it is.
        copy: bool,
    },
    /// Takes part in a joint step of a [`Vector`].
    Gate {
        /// At which gate.
        gate: GateId,
        /// The values that are given, and where the others go.
        offers: Vec<Pattern>,
        /// Must be true once the values of all participants are stored.
        when: Option<Expr>,
    },
}

/// What a field of a received message, or a value at a gate, must be, or where it goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Stored here.
    Bind(Lvalue),
    /// Equal to this.
    Match(Expr),
    /// Anything.
    Any,
}

/// Something a command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Stores a value.
    Assign(Lvalue, Expr),
    /// Creates a process.
    Run {
        /// Which kind.
        process: ProcessId,
        /// Its arguments.
        arguments: Vec<Expr>,
        /// Its priority.
        priority: Option<Expr>,
        /// Where its number goes.
        result: Option<Lvalue>,
    },
    /// A fault if it is 0.
    Assert(Expr),
    /// Writes something for people; no effect on the state, and no faults.
    Print {
        /// C's format, with `%d %u %c %x %o %e %s %%`.
        format: String,
        /// What is printed, with the set of names for `%e`.
        arguments: Vec<(Expr, Option<SymbolsId>)>,
    },
    /// Changes the priority of a process.
    SetPriority {
        /// Its number.
        process: Expr,
        /// The new priority.
        priority: Expr,
    },
    /// Puts another process, the first of its kind, at a location; its parameters get the arguments, and its other locals become 0. Nothing
    /// happens if there is none. So parts of a system begin, and are interrupted, without being created or ended.
    Place {
        /// Which kind.
        process: ProcessId,
        /// Where it goes on.
        at: Loc,
        /// Its parameters.
        arguments: Vec<Expr>,
    },
}

/// Something that can be stored to.
#[derive(Clone, Debug, PartialEq)]
pub struct Lvalue {
    /// Which variable.
    pub variable: VariableRef,
    /// One per dimension.
    pub indices: Vec<Expr>,
}

/// A variable, as a command sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableRef {
    /// An index into [`Program::globals`].
    Global(u32),
    /// An index into the locals of the process.
    Local(u32),
}

/// An expression; its value is a 32-bit integer.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Const(i32),
    /// The value of a variable.
    Load(Lvalue),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<[Expr; 2]>),
    /// If the first is not 0 the second, else the third.
    Cond(Box<[Expr; 3]>),
    /// The number of the process itself.
    Pid,
    /// How many processes there are.
    ProcessCount,
    /// The number of the process that moved last; after a rendez-vous, of the receiver. A command sees who moved before
    /// it, until it is done.
    Last,
    /// Whether no command of any process can be executed otherwise. True for all that the command does that is executed
    /// then, false again after it.
    Timeout,
    /// Something about a channel.
    Channel(ChannelQuery, Box<Expr>),
    /// Whether a message that matches is first in the channel (or anywhere, if `random`), behind those passed over.
    Poll {
        /// Which channel.
        channel: Box<Expr>,
        /// Only matches and anything.
        patterns: Vec<Pattern>,
        /// Anywhere.
        random: bool,
        /// How many messages are passed over: a transition that takes a word looks at all its letters first.
        ahead: u32,
    },
    /// A local variable of another process.
    Remote {
        /// What kind of process it is expected to be.
        process: ProcessId,
        /// Its number; `None` for the only one of its kind.
        pid: Option<Box<Expr>>,
        /// An index into its locals.
        variable: u32,
        /// One per dimension.
        indices: Vec<Expr>,
    },
    /// Whether another process is at one of these locations.
    At {
        /// What kind of process it is expected to be.
        process: ProcessId,
        /// Its number; `None` for the only one of its kind.
        pid: Option<Box<Expr>>,
        /// The locations.
        locations: Vec<Loc>,
    },
    /// The location of a process as a number.
    Location(Box<Expr>),
    /// Whether a process has an executable command, even one that it may not execute now because of its condition
    /// ([`ProcessType::provided`]). Within the question itself, no process has: two that ask about each
    /// other would ask for ever.
    Enabled(Box<Expr>),
    /// Whether no process is at a progress location.
    NonProgress,
    /// The priority of a process.
    Priority(Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// 1 if it is 0, else 0.
    Not,
    /// Minus.
    Neg,
    /// All bits inverted.
    Complement,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // They are C's.
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

/// Questions about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelQuery {
    /// How many messages it holds.
    Len,
    /// Whether it holds none.
    Empty,
    /// Whether it holds some.
    NotEmpty,
    /// Whether a send would block.
    Full,
    /// Whether a send would not block.
    NotFull,
}

impl Type {
    /// All values, in order, if there are not too many to go through.
    pub fn values(self, program: &Program) -> Option<Vec<i32>> {
        match self {
            Type::Bool => Some(vec![0, 1]),
            Type::Unsigned(bits) if bits <= 16 => Some((0..1 << bits).collect()),
            Type::Symbol(set) => {
                let members = program.symbols.get(set.index())?.members.iter();
                Some(members.map(|(_, value)| *value).collect())
            }
            Type::Range(low, high) if i64::from(high) - i64::from(low) < 1 << 16 => {
                Some((low..=high).collect())
            }
            Type::Unsigned(_) | Type::Signed(_) | Type::Channel | Type::Range(..) => None,
        }
    }
}

impl Unary {
    /// What it means.
    #[inline]
    pub fn apply(self, a: i32) -> i32 {
        match self {
            Unary::Not => i32::from(a == 0),
            Unary::Neg => a.wrapping_neg(),
            Unary::Complement => !a,
        }
    }
}

impl Binary {
    /// What it means; `None` for a division by zero. Shifts take the count modulo 32. `And` and `Or` are here for
    /// constants: in an expression, they do not evaluate their second operand if the first decides.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            Binary::Add => a.wrapping_add(b),
            Binary::Sub => a.wrapping_sub(b),
            Binary::Mul => a.wrapping_mul(b),
            Binary::Div | Binary::Rem if b == 0 => return None,
            Binary::Div => a.wrapping_div(b),
            Binary::Rem => a.wrapping_rem(b),
            Binary::BitAnd => a & b,
            Binary::BitOr => a | b,
            Binary::BitXor => a ^ b,
            Binary::Shl => a.wrapping_shl(b as u32),
            Binary::Shr => a.wrapping_shr(b as u32),
            Binary::Eq => i32::from(a == b),
            Binary::Ne => i32::from(a != b),
            Binary::Lt => i32::from(a < b),
            Binary::Le => i32::from(a <= b),
            Binary::Gt => i32::from(a > b),
            Binary::Ge => i32::from(a >= b),
            Binary::And => i32::from(a != 0 && b != 0),
            Binary::Or => i32::from(a != 0 || b != 0),
        })
    }
}

impl ProcessType {
    /// The commands that leave a location, group by group.
    pub fn leaving(&self, at: Loc) -> impl Iterator<Item = (CommandId, &Command)> {
        self.locations[at.index()].groups.iter().flatten().map(|&id| (id, &self.commands[id.index()]))
    }

    /// The parameters, as indices into the locals.
    pub fn parameter_range(&self) -> Range<usize> {
        0..self.parameters as usize
    }
}

impl Expr {
    /// Calls `visit` for this expression and everything in it.
    pub fn for_each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.for_each_operand(|operand| operand.for_each(visit));
    }

    /// Calls `visit` for the expressions that this one is made of, but not for what is in them.
    #[inline]
    pub fn for_each_operand<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        match self {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress => {}
            Expr::Load(lvalue) => lvalue.indices.iter().for_each(visit),
            Expr::Unary(_, a) | Expr::Channel(_, a) => visit(a),
            Expr::Location(a) | Expr::Enabled(a) | Expr::Priority(a) => visit(a),
            Expr::Binary(_, ab) => ab.iter().for_each(visit),
            Expr::Cond(parts) => parts.iter().for_each(visit),
            Expr::Poll { channel, patterns, .. } => {
                visit(channel);
                patterns.iter().for_each(|pattern| pattern.for_each_operand(&mut visit));
            }
            Expr::Remote { pid, indices, .. } => {
                pid.iter().for_each(|pid| visit(pid));
                indices.iter().for_each(visit);
            }
            Expr::At { pid, .. } => pid.iter().for_each(|pid| visit(pid)),
        }
    }
}

impl Pattern {
    /// Calls `visit` for every expression in it.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.for_each_operand(|operand| operand.for_each(visit));
    }

    #[inline]
    fn for_each_operand<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        match self {
            Pattern::Bind(lvalue) => lvalue.indices.iter().for_each(visit),
            Pattern::Match(expr) => visit(expr),
            Pattern::Any => {}
        }
    }
}

impl Command {
    /// Calls `visit` for every expression in it.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        if let Guard::When(expr) = &self.guard {
            expr.for_each(visit);
        }
        match &self.sync {
            Sync::None => {}
            Sync::Send { channel, fields, .. } => {
                channel.for_each(visit);
                fields.iter().for_each(|field| field.for_each(visit));
            }
            Sync::Receive { channel, patterns, .. } => {
                channel.for_each(visit);
                patterns.iter().for_each(|pattern| pattern.for_each_expr(visit));
            }
            Sync::Gate { offers, when, .. } => {
                offers.iter().for_each(|offer| offer.for_each_expr(visit));
                when.iter().for_each(|when| when.for_each(visit));
            }
        }
        self.effects.iter().for_each(|effect| effect.for_each_expr(visit));
    }
}

impl Effect {
    /// Calls `visit` for every expression in it.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let mut each = |expr: &'a Expr| expr.for_each(visit);
        match self {
            Effect::Assign(lvalue, expr) => lvalue.indices.iter().chain([expr]).for_each(each),
            Effect::Run { arguments, priority, result, .. } => {
                let stored = result.iter().flat_map(|lvalue| &lvalue.indices);
                arguments.iter().chain(priority).chain(stored).for_each(each);
            }
            Effect::Assert(expr) => each(expr),
            Effect::Print { arguments, .. } => arguments.iter().for_each(|(expr, _)| each(expr)),
            Effect::SetPriority { process, priority } => [process, priority].into_iter().for_each(each),
            Effect::Place { arguments, .. } => arguments.iter().for_each(each),
        }
    }
}

impl Expr {
    /// Lets `change` change this expression and then everything in it.
    pub fn for_each_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        change(self);
        match self {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress => {}
            Expr::Load(lvalue) => lvalue.indices.iter_mut().for_each(|index| index.for_each_mut(change)),
            Expr::Unary(_, a) | Expr::Channel(_, a) => a.for_each_mut(change),
            Expr::Location(a) | Expr::Enabled(a) | Expr::Priority(a) => a.for_each_mut(change),
            Expr::Binary(_, ab) => ab.iter_mut().for_each(|expr| expr.for_each_mut(change)),
            Expr::Cond(parts) => parts.iter_mut().for_each(|expr| expr.for_each_mut(change)),
            Expr::Poll { channel, patterns, .. } => {
                channel.for_each_mut(change);
                patterns.iter_mut().for_each(|pattern| pattern.for_each_expr_mut(change));
            }
            Expr::Remote { pid, indices, .. } => {
                pid.iter_mut().for_each(|pid| pid.for_each_mut(change));
                indices.iter_mut().for_each(|index| index.for_each_mut(change));
            }
            Expr::At { pid, .. } => pid.iter_mut().for_each(|pid| pid.for_each_mut(change)),
        }
    }
}

impl Pattern {
    fn for_each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Pattern::Bind(lvalue) => lvalue.indices.iter_mut().for_each(|index| index.for_each_mut(change)),
            Pattern::Match(expr) => expr.for_each_mut(change),
            Pattern::Any => {}
        }
    }
}

impl Command {
    /// Lets `change` change every expression in it.
    pub fn for_each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        if let Guard::When(expr) = &mut self.guard {
            expr.for_each_mut(change);
        }
        match &mut self.sync {
            Sync::None => {}
            Sync::Send { channel, fields, .. } => {
                channel.for_each_mut(change);
                fields.iter_mut().for_each(|field| field.for_each_mut(change));
            }
            Sync::Receive { channel, patterns, .. } => {
                channel.for_each_mut(change);
                patterns.iter_mut().for_each(|pattern| pattern.for_each_expr_mut(change));
            }
            Sync::Gate { offers, when, .. } => {
                offers.iter_mut().for_each(|offer| offer.for_each_expr_mut(change));
                when.iter_mut().for_each(|when| when.for_each_mut(change));
            }
        }
        for effect in &mut self.effects {
            match effect {
                Effect::Assign(lvalue, expr) => {
                    lvalue.indices.iter_mut().for_each(|index| index.for_each_mut(change));
                    expr.for_each_mut(change);
                }
                Effect::Run { arguments, priority, result, .. } => {
                    let stored = result.iter_mut().flat_map(|lvalue| &mut lvalue.indices);
                    arguments
                        .iter_mut()
                        .chain(priority)
                        .chain(stored)
                        .for_each(|expr| expr.for_each_mut(change));
                }
                Effect::Assert(expr) => expr.for_each_mut(change),
                Effect::Print { arguments, .. } => {
                    arguments.iter_mut().for_each(|(expr, _)| expr.for_each_mut(change));
                }
                Effect::SetPriority { process, priority } => {
                    process.for_each_mut(change);
                    priority.for_each_mut(change);
                }
                Effect::Place { arguments, .. } => {
                    arguments.iter_mut().for_each(|argument| argument.for_each_mut(change));
                }
            }
        }
    }
}

impl Program {
    /// Lets `change` change every expression of the program, except in initialisers.
    pub fn for_each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for process in &mut self.processes {
            process.provided.iter_mut().for_each(|expr| expr.for_each_mut(change));
            process.commands.iter_mut().for_each(|command| command.for_each_expr_mut(change));
            for variable in &mut process.locals {
                match &mut variable.init {
                    Init::Value(expr) => expr.for_each_mut(change),
                    Init::List(exprs) => exprs.iter_mut().for_each(|expr| expr.for_each_mut(change)),
                    Init::Zero | Init::Channel(_) => {}
                }
            }
        }
        self.propositions.iter_mut().for_each(|(_, expr)| expr.for_each_mut(change));
    }
}
