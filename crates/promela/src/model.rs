//! The checked model: every name resolved, every size known. This is what the lowering reads.
//!
//! Compared with the syntax tree: names of variables are [`VarId`]s, labels [`LabelId`]s, process types
//! [`ProcessId`]s; symbolic constants have their numbers; declarations have become [`Variable`]s (those at the start of a
//! body are listed in [`Process::start`], all others are [`StmtKind::Declare`] statements, because SPIN makes a step of
//! them); structures in messages are taken apart into their scalar fields;
//! `v++` is an assignment; `for` over an array is a `for` over its indices. What SPIN does with each
//! statement is in `docs/promela-semantics.md`.

use std::sync::Arc;

pub use crate::ast::{BinaryOp, ChannelOp, Exclusive, ProcessKind, TemporalOp, UnaryOp, Visibility};
use elnath_source::Message;

use crate::sources::{SourceMap, Span};

macro_rules! ids {
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

ids! {
    /// An index into [`Model::variables`].
    VarId,
    /// An index into [`Model::typedefs`].
    TypedefId,
    /// An index into [`Model::mtypes`].
    MtypeId,
    /// An index into [`Model::processes`].
    ProcessId,
    /// An index into [`Process::labels`] of the process it belongs to.
    LabelId,
}

/// A whole model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The files, for messages about it.
    pub sources: SourceMap,
    /// The sets of symbolic constants; the first is the common one.
    pub mtypes: Vec<MtypeSet>,
    /// The structures, each after those it contains.
    pub typedefs: Vec<Typedef>,
    /// All variables, global and local, in the order of their declarations.
    pub variables: Vec<Variable>,
    /// Process types, `init` and claims in the order of the text; initial pids follow this order.
    pub processes: Vec<Process>,
    /// The `ltl` blocks.
    pub formulas: Vec<Ltl>,
    /// Those of them that contain mistakes.
    pub unreadable: Vec<Unreadable>,
    /// Expressions over the state whose truth somebody outside wants to know.
    pub propositions: Vec<Expr>,
}

impl Model {
    /// The global variables, in the order in which their initialisers run.
    pub fn globals(&self) -> impl Iterator<Item = (VarId, &Variable)> {
        self.variables
            .iter()
            .enumerate()
            .filter(|(_, variable)| variable.owner == Owner::Global)
            .map(|(index, variable)| (VarId(index as u32), variable))
    }

    /// The variables of a process: parameters first, then locals in the order of the text.
    pub fn locals(&self, process: ProcessId) -> impl Iterator<Item = (VarId, &Variable)> {
        self.variables
            .iter()
            .enumerate()
            .filter(move |(_, variable)| variable.owner.process() == Some(process))
            .map(|(index, variable)| (VarId(index as u32), variable))
    }

    /// The scalar fields of a type, in order, with arrays element by element: a message's view of a structure.
    pub fn scalars(&self, ty: Type) -> Vec<Type> {
        match ty {
            Type::Struct(id) => self.typedefs[id.index()]
                .fields
                .iter()
                .flat_map(|field| {
                    let one = self.scalars(field.ty);
                    std::iter::repeat_n(one, field.size.unwrap_or(1) as usize).flatten()
                })
                .collect(),
            scalar => vec![scalar],
        }
    }
}

/// A set of symbolic constants.
#[derive(Clone, Debug)]
pub struct MtypeSet {
    /// `mtype:name`; `None` for the common set.
    pub name: Option<Arc<str>>,
    /// Name, value and place, in the order of the text.
    pub members: Vec<(Arc<str>, i32, Span)>,
}

/// A structure.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// Its name.
    pub name: Arc<str>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Where its name stands.
    pub span: Span,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// The type (of an element).
    pub ty: Type,
    /// Length, for arrays.
    pub size: Option<u32>,
    /// What each variable of the structure starts with.
    pub init: Option<Initial>,
    /// Where.
    pub span: Span,
}

/// The types of variables and of fields of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names are the language's.
pub enum Type {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// So many bits, 1 to 32.
    Unsigned(u8),
    Chan,
    Mtype(MtypeId),
    Struct(TypedefId),
}

impl Type {
    /// The least and greatest value; structures have none.
    pub fn range(self) -> Option<(i64, i64)> {
        Some(match self {
            Type::Bit | Type::Bool => (0, 1),
            Type::Byte | Type::Pid | Type::Chan | Type::Mtype(_) => (0, 255),
            Type::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Type::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Type::Unsigned(bits) => (0, (1i64 << bits) - 1),
            Type::Struct(_) => return None,
        })
    }

    /// The type an element of an array really has: SPIN keeps arrays of bits as bytes and does not truncate to one bit.
    pub fn element(self) -> Type {
        match self {
            Type::Bit | Type::Bool => Type::Byte,
            other => other,
        }
    }

    /// What a variable of this type holds after `value` was assigned to it.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Type::Bit | Type::Bool => value & 1,
            Type::Byte | Type::Pid | Type::Chan | Type::Mtype(_) => value & 0xff,
            Type::Short => i32::from(value as i16),
            Type::Unsigned(bits) if bits < 32 => value & ((1i32 << bits) - 1),
            Type::Int | Type::Unsigned(_) | Type::Struct(_) => value,
        }
    }
}

/// Whose variable it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Everybody's.
    Global,
    /// A parameter.
    Parameter(ProcessId),
    /// A local variable; it exists as long as its process, whatever block it stands in.
    Local(ProcessId),
}

impl Owner {
    /// The process, unless global.
    pub fn process(self) -> Option<ProcessId> {
        match self {
            Owner::Global => None,
            Owner::Parameter(process) | Owner::Local(process) => Some(process),
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; unique within its scope only.
    pub name: Arc<str>,
    /// The type (of an element).
    pub ty: Type,
    /// Length, for arrays.
    pub size: Option<u32>,
    /// Global or whose.
    pub owner: Owner,
    /// `hidden`, `local`, `show`.
    pub visibility: Visibility,
    /// What it starts with. For a variable of a [`StmtKind::Declare`] the value is assigned by that statement (to
    /// element 0 of an array); until then it is 0.
    pub init: Option<Initial>,
    /// Where its name stands. The hidden counter of [`StmtKind::ForMessages`] has the place of its loop.
    pub span: Span,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Initial {
    /// One value, for every element.
    Value(Expr),
    /// One value per element; if it is shorter than the array, the last is that of the rest.
    List(Vec<Expr>),
    /// A new channel, for every element.
    Channel(ChannelType),
}

/// What a channel carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelType {
    /// How many messages it holds; 0 is rendez-vous.
    pub capacity: u32,
    /// The scalar fields of a message; structures are taken apart.
    pub fields: Vec<Type>,
}

/// A process type or a claim.
#[derive(Clone, Debug)]
pub struct Process {
    /// Which of them.
    pub kind: ProcessKind,
    /// Its name.
    pub name: Arc<str>,
    /// How many exist from the start; 1 for `init`, 0 for claims.
    pub active: u32,
    /// The parameters in order.
    pub parameters: Vec<VarId>,
    /// The variables declared at the start of the body, in order: initialised when the process is created.
    pub start: Vec<VarId>,
    /// The labels.
    pub labels: Vec<Label>,
    /// `priority n`.
    pub priority: Option<i32>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// The statements.
    pub body: Sequence,
    /// Where it is declared.
    pub span: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name. Labels in inlines may have the same name as others.
    pub name: Arc<str>,
    /// Where.
    pub span: Span,
}

impl Label {
    /// `end..`: a process may rest here for ever.
    pub fn is_end(&self) -> bool {
        self.name.starts_with("end")
    }

    /// `progress..`.
    pub fn is_progress(&self) -> bool {
        self.name.starts_with("progress")
    }

    /// `accept..`.
    pub fn is_accept(&self) -> bool {
        self.name.starts_with("accept")
    }
}

/// A named formula.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name; `ltl_0`, `ltl_1`, .. where none is written.
    pub name: Arc<str>,
    /// The property.
    pub formula: Formula,
    /// The block.
    pub span: Span,
}

/// A formula with mistakes, which count only for those who ask for it.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Its name, as of an [`Ltl`].
    pub name: Arc<str>,
    /// What is wrong with it.
    pub messages: Vec<Message>,
}

/// A temporal formula over expressions.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Operator and operands.
    pub kind: FormulaKind,
    /// Where.
    pub span: Span,
}

/// The operators of temporal logic.
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// A Promela expression; holds when it is not 0.
    Atom(Expr),
    /// `!`
    Not(Box<Formula>),
    /// `X`
    Next(Box<Formula>),
    /// `[]`
    Always(Box<Formula>),
    /// `<>`
    Eventually(Box<Formula>),
    /// Two operands.
    Binary(TemporalOp, Box<Formula>, Box<Formula>),
}

/// Statements one after the other.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The statements.
    pub statements: Vec<Stmt>,
    /// Where.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels before it.
    pub labels: Vec<LabelId>,
    /// Which statement.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// How far apart the bounds of a [`StmtKind::Select`] may be that is a selection and not a loop.
pub const SELECT_OPTIONS: i32 = 32;

/// The statements of Promela.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A declaration that is not at the start of the body: a step that assigns the initial value (or 0).
    Declare(VarId),
    /// `xr`, `xs`; no step.
    Exclusive(Exclusive, Vec<Access>),
    /// A condition, or `run`.
    Expr(Expr),
    /// `else`.
    Else,
    /// `v = e`.
    Assign(Target, Expr),
    /// A send.
    Send {
        /// The channel.
        channel: Access,
        /// `!!`.
        sorted: bool,
        /// One expression per scalar field, if the channel's type is known; else as many as written.
        fields: Vec<Expr>,
    },
    /// A receive.
    Receive {
        /// The channel.
        channel: Access,
        /// `??`.
        random: bool,
        /// `<..>`: the message stays.
        copy: bool,
        /// One pattern per scalar field, if the channel's type is known; else as many as written.
        fields: Vec<Pattern>,
    },
    /// A step of a `trace` or `notrace`: a send or receive that is waited for.
    Event {
        /// The channel.
        channel: Access,
        /// A send; else a receive.
        send: bool,
        /// What the message must be.
        fields: Vec<Pattern>,
    },
    /// `if`.
    If(Vec<Sequence>),
    /// `do`.
    Do(Vec<Sequence>),
    /// `v = from; do :: v <= to -> body; v++ :: else -> break od`
    For {
        /// The counter.
        variable: Access,
        /// First value.
        from: Expr,
        /// Last value, evaluated at each turn.
        to: Expr,
        /// What is repeated.
        body: Sequence,
    },
    /// `t = 0; do :: t < len(q) -> q?m; q!m; body; t++ :: else -> break od`
    ForMessages {
        /// The hidden counter, a local `int`.
        counter: VarId,
        /// The channel.
        channel: Access,
        /// The scalar fields of the variable that takes each message.
        fields: Vec<Access>,
        /// What is repeated.
        body: Sequence,
    },
    /// `if :: v = from .. :: v = to fi`, if `literal` and the bounds are at most [`SELECT_OPTIONS`] apart; else
    /// `v = from; do :: v < to -> v++ :: break od`.
    Select {
        /// The variable.
        variable: Access,
        /// Least value.
        from: Expr,
        /// Greatest value.
        to: Expr,
        /// Both bounds were written as numbers, see [`crate::ast::StmtKind::Select`].
        literal: bool,
    },
    /// `atomic`.
    Atomic(Sequence),
    /// `d_step`.
    DStep(Sequence),
    /// `{ }`.
    Block(Sequence),
    /// `main unless escape`.
    Unless(Box<Stmt>, Box<Stmt>),
    /// `goto`.
    Goto(LabelId),
    /// `break`.
    Break,
    /// `printf`; the format as written.
    Printf(Arc<str>, Vec<Expr>),
    /// `printm`.
    Printm(Expr),
    /// `assert`.
    Assert(Expr),
    /// `set_priority(pid, priority)`.
    SetPriority(Expr, Expr),
    /// An inline's body; a block.
    Inline(Arc<str>, Sequence),
}

/// Where an assignment goes.
#[derive(Clone, Debug)]
pub enum Target {
    /// A variable.
    Variable(Access),
    /// `_`: nowhere.
    Discard,
}

/// A field of a receive.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The field is stored here.
    Bind(Access),
    /// The field must have this value.
    Match(Expr),
    /// The field is ignored.
    Discard,
}

/// A use of a variable, down to a scalar (only arguments of `run` may be whole structures).
#[derive(Clone, Debug)]
pub struct Access {
    /// Which variable.
    pub variable: VarId,
    /// `[i]`; always there if the variable is an array.
    pub index: Option<Box<Expr>>,
    /// Fields, outermost first.
    pub fields: Vec<FieldAccess>,
    /// The type of what is reached, by which an assignment truncates (see [`Type::element`]).
    pub ty: Type,
    /// Where.
    pub span: Span,
}

/// One `.field[i]` of an [`Access`].
#[derive(Clone, Debug)]
pub struct FieldAccess {
    /// An index into [`Typedef::fields`].
    pub field: u32,
    /// `[i]`; always there if the field is an array.
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Operator and operands.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The expressions of Promela.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(i32),
    /// A symbolic constant with its value.
    Symbol(MtypeId, i32),
    /// A variable's value.
    Load(Access),
    /// `_pid`.
    Pid,
    /// `_nr_pr`.
    ProcessCount,
    /// `_last`.
    Last,
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// `run`.
    Run {
        /// The process type.
        process: ProcessId,
        /// One per parameter.
        arguments: Vec<Expr>,
        /// `priority n`.
        priority: Option<Box<Expr>>,
    },
    /// `len(q)` and its kin.
    Channel(ChannelOp, Access),
    /// `q?[..]`.
    Poll {
        /// The channel.
        channel: Access,
        /// `??`.
        random: bool,
        /// Only [`Pattern::Match`] and [`Pattern::Discard`]: a variable in a poll is ignored, as SPIN does.
        fields: Vec<Pattern>,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(pid)`.
    Enabled(Box<Expr>),
    /// `pc_value(pid)`.
    PcValue(Box<Expr>),
    /// `get_priority(pid)`.
    GetPriority(Box<Expr>),
    /// `p[pid]@label`.
    RemoteLabel {
        /// The process type.
        process: ProcessId,
        /// Which process.
        pid: Option<Box<Expr>>,
        /// The label.
        label: LabelId,
    },
    /// `p[pid]:variable`.
    RemoteVariable {
        /// The process type.
        process: ProcessId,
        /// Which process.
        pid: Option<Box<Expr>>,
        /// Its local variable.
        variable: Access,
    },
}

impl Expr {
    /// The value, if it does not depend on the state; `None` also for a division by zero.
    pub fn constant(&self) -> Option<i32> {
        match &self.kind {
            ExprKind::Number(value) | ExprKind::Symbol(_, value) => Some(*value),
            ExprKind::Unary(operator, operand) => Some(operator.apply(operand.constant()?)),
            ExprKind::Binary(operator, left, right) => operator.apply(left.constant()?, right.constant()?),
            ExprKind::Conditional(parts) => {
                if parts.0.constant()? != 0 {
                    parts.1.constant()
                } else {
                    parts.2.constant()
                }
            }
            _ => None,
        }
    }
}

impl UnaryOp {
    /// C's meaning on a 32-bit int.
    pub fn apply(self, value: i32) -> i32 {
        match self {
            UnaryOp::Not => i32::from(value == 0),
            UnaryOp::Minus => value.wrapping_neg(),
            UnaryOp::Complement => !value,
        }
    }
}

impl BinaryOp {
    /// C's meaning on 32-bit ints; `None` for a division by zero. Shifts take the count modulo 32, as x86 does.
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div if b == 0 => return None,
            BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr => a.wrapping_shr(b as u32),
            BinaryOp::Eq => i32::from(a == b),
            BinaryOp::Ne => i32::from(a != b),
            BinaryOp::Lt => i32::from(a < b),
            BinaryOp::Le => i32::from(a <= b),
            BinaryOp::Gt => i32::from(a > b),
            BinaryOp::Ge => i32::from(a >= b),
            BinaryOp::And => i32::from(a != 0 && b != 0),
            BinaryOp::Or => i32::from(a != 0 || b != 0),
        })
    }
}
