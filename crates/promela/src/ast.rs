//! The syntax tree: what was written, with a [`Span`] on every node and nothing decided yet.
//!
//! Names are still names here; `check` turns this tree into the resolved [`crate::model`]. Macros are gone (they were
//! tokens), inlines are expanded (they are tokens too, in SPIN) but leave a [`StmtKind::Inline`] around their body,
//! because each expansion is a scope of its own for variables and labels. `for` and `select` stay nodes.

use std::sync::Arc;

use elnath_source::Message;

use crate::sources::Span;

/// A name where it is used or declared.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name.
    pub text: Arc<str>,
    /// Where.
    pub span: Span,
}

/// A whole model, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its parts.
    pub items: Vec<Item>,
    /// Expressions over the state from outside its text.
    pub propositions: Vec<Expr>,
}

/// One part of a model.
#[derive(Clone, Debug)]
pub enum Item {
    /// `mtype = { .. }` or `mtype:set = { .. }`.
    Mtype(MtypeDecl),
    /// `typedef T { .. }`.
    Typedef(TypedefDecl),
    /// Global variables.
    Variables(Decl),
    /// `proctype`, `init`, `never`, `trace`, `notrace`.
    Process(Box<ProcessDecl>),
    /// `ltl name { .. }`.
    Ltl(LtlDecl),
}

/// The names of a set of symbolic constants.
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    /// `mtype:set`; `None` is the common set.
    pub set: Option<Ident>,
    /// The constants.
    pub names: Vec<Ident>,
}

/// A structure.
#[derive(Clone, Debug)]
pub struct TypedefDecl {
    /// Its name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<Decl>,
}

/// `hidden`, `local`, `show`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Visibility {
    /// None of them.
    #[default]
    Plain,
    /// Not part of the state.
    Hidden,
    /// A global that only one process uses.
    Local,
    /// To be shown in message sequence charts.
    Show,
}

/// Variables that were declared together.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What stands before the type.
    pub visibility: Visibility,
    /// The type.
    pub ty: TypeName,
    /// The variables.
    pub declarators: Vec<Declarator>,
    /// The whole declaration.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The types of Promela.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Their names are the language's.
pub enum TypeKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    /// `mtype` or `mtype:set`.
    Mtype(Option<Ident>),
    /// A typedef.
    Named(Ident),
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Ident,
    /// `unsigned x : 3`.
    pub width: Option<Expr>,
    /// `x[4]`.
    pub size: Option<Expr>,
    /// `= ..`.
    pub init: Option<Init>,
    /// From the name to the end of the initialiser.
    pub span: Span,
}

/// What follows `=` in a declaration.
#[derive(Clone, Debug)]
pub enum Init {
    /// An expression; every element of an array gets it.
    Value(Expr),
    /// `{ a, b, c }`, for arrays.
    List(Vec<Expr>, Span),
    /// `[n] of { .. }`.
    Channel(ChannelInit),
}

/// A new channel.
#[derive(Clone, Debug)]
pub struct ChannelInit {
    /// How many messages it holds; 0 is rendez-vous.
    pub capacity: Expr,
    /// The types of a message's fields.
    pub fields: Vec<TypeName>,
    /// The whole initialiser.
    pub span: Span,
}

/// What kind of process a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    /// `proctype` and `D_proctype` (which is the same for us: determinism is not assumed).
    Proctype,
    /// `init`.
    Init,
    /// `never`.
    Never,
    /// `trace`.
    Trace,
    /// `notrace`.
    NoTrace,
}

/// A process type or a claim.
#[derive(Clone, Debug)]
pub struct ProcessDecl {
    /// Which of them.
    pub kind: ProcessKind,
    /// Its name; `init`, `never`, `trace` where none is written.
    pub name: Ident,
    /// `active [n]`: how many exist from the start. 1 if written without `[n]`, `None` if not active.
    pub active: Option<Option<Expr>>,
    /// The parameters.
    pub parameters: Vec<Decl>,
    /// `priority n`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// The statements.
    pub body: Sequence,
    /// From the first word to the name.
    pub span: Span,
}

/// A named formula.
#[derive(Clone, Debug)]
pub struct LtlDecl {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// The property (not its negation), or why there is none: a model is read even if its formulas cannot be.
    pub formula: Result<Formula, Vec<Message>>,
    /// The whole block.
    pub span: Span,
}

/// A temporal formula; what contains no temporal operator (nor an implication) is one atom.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Operator and operands.
    pub kind: FormulaKind,
    /// Where.
    pub span: Span,
    pub(crate) height: u16,
}

/// The operators of temporal logic.
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// A Promela expression.
    Atom(Expr),
    /// `!`
    Not(Box<Formula>),
    /// `X`, `next`
    Next(Box<Formula>),
    /// `[]`, `always`
    Always(Box<Formula>),
    /// `<>`, `eventually`
    Eventually(Box<Formula>),
    /// Two operands.
    Binary(TemporalOp, Box<Formula>, Box<Formula>),
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalOp {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`, `implies`
    Implies,
    /// `<->`, `equivalent`
    Equivalent,
    /// `U`, `until`, `stronguntil`
    Until,
    /// `W`, `weakuntil`
    WeakUntil,
    /// `V`, `release`
    Release,
}

/// Statements one after the other.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The statements; declarations are statements too.
    pub statements: Vec<Stmt>,
    /// The braces, or the option from its `::` on.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// `L1: L2:` before it.
    pub labels: Vec<Ident>,
    /// Which statement.
    pub kind: StmtKind,
    /// Where, without the labels.
    pub span: Span,
}

/// `xr` or `xs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusive {
    /// Only this process receives.
    Receive,
    /// Only this process sends.
    Send,
}

/// The statements of Promela.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A declaration. At the very start of a process body it is executed with the creation of the process; anywhere
    /// else each declarator is a step (see `docs/promela-semantics.md`, section 3).
    Decl(Decl),
    /// `xr q, r` / `xs q`; no step.
    Exclusive(Exclusive, Vec<Reference>),
    /// An expression as a statement; `skip` is the number 1.
    Expr(Expr),
    /// `else`.
    Else,
    /// `v = e`; `v++` and `v--` too, see [`AssignOp`].
    Assign(Reference, AssignOp),
    /// `q!e,..` and `q!!e,..`.
    Send {
        /// The channel.
        channel: Reference,
        /// `!!`: sorted.
        sorted: bool,
        /// The message.
        fields: Vec<Expr>,
    },
    /// `q?..`, `q??..`, `q?<..>`, `q??<..>`.
    Receive {
        /// The channel.
        channel: Reference,
        /// `??`: the first that matches, anywhere.
        random: bool,
        /// `<..>`: the message stays.
        copy: bool,
        /// Patterns and variables.
        fields: Vec<ReceiveArg>,
    },
    /// `if`.
    If(Vec<Sequence>),
    /// `do`.
    Do(Vec<Sequence>),
    /// `for (v : from .. to) { .. }`. SPIN makes it
    /// `v = from; do :: v <= to -> body; v++ :: else -> break od`, evaluating `to` at each turn.
    For {
        /// The counter, declared elsewhere.
        variable: Reference,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// What is repeated.
        body: Sequence,
    },
    /// `for (v in a) { .. }`. With an array of n elements it is `for (v : 0 .. n-1)`: `v` is the index. With a channel
    /// whose only field is the typedef of `v`, SPIN makes it
    /// `t = 0; do :: t < len(a) -> a?v; a!v; body; t++ :: else -> break od`, with a new local `int t`.
    ForIn {
        /// The index, or the message.
        variable: Reference,
        /// The array or channel.
        container: Reference,
        /// What is repeated.
        body: Sequence,
    },
    /// `select (v : from .. to)`. With two literal numbers that are at most 32 apart SPIN makes it
    /// `if :: v = from .. :: v = to fi`, otherwise `v = from; do :: v < to -> v++ :: break od`.
    Select {
        /// The variable.
        variable: Reference,
        /// Least value.
        from: Expr,
        /// Greatest value.
        to: Expr,
        /// SPIN replaces it as text: both are single numbers, and the variable is a name without `_`.
        literal: bool,
    },
    /// `atomic { .. }`.
    Atomic(Sequence),
    /// `d_step { .. }`.
    DStep(Sequence),
    /// `{ .. }`.
    Block(Sequence),
    /// `main unless escape`.
    Unless(Box<Stmt>, Box<Stmt>),
    /// `goto L`.
    Goto(Ident),
    /// `break`.
    Break,
    /// `printf("..", ..)`; the format as written, without the quotes.
    Printf(Arc<str>, Vec<Expr>),
    /// `printm(e)`.
    Printm(Expr),
    /// `assert(e)`.
    Assert(Expr),
    /// `set_priority(pid, priority)`.
    SetPriority(Expr, Expr),
    /// The body of an inline, expanded. It is a block.
    Inline {
        /// Its name.
        name: Ident,
        /// Its statements, with the arguments put in.
        body: Sequence,
    },
    /// Something that was refused, and reported.
    Refused,
}

/// The right side of an assignment.
#[derive(Clone, Debug)]
pub enum AssignOp {
    /// `= e`
    Set(Expr),
    /// `++`
    Increment,
    /// `--`
    Decrement,
}

/// What stands in a receive.
#[derive(Clone, Debug)]
pub enum ReceiveArg {
    /// A variable to be written, a symbolic constant to be matched, or `_`.
    Name(Reference),
    /// A number to be matched.
    Constant(i32, Span),
    /// `eval(e)`: the value of an expression to be matched.
    Eval(Expr, Span),
}

/// `a[i].b.c[j]`.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The variable first, then fields; never empty.
    pub parts: Vec<Part>,
    /// The whole.
    pub span: Span,
}

/// One name of a [`Reference`].
#[derive(Clone, Debug)]
pub struct Part {
    /// The variable or field.
    pub name: Ident,
    /// `[i]`.
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Operator and operands.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
    /// How deep the tree is; kept small, so that walking it needs no care.
    pub(crate) height: u16,
}

/// The expressions of Promela.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, `true`, `false`, `skip` or a character.
    Number(i32),
    /// A variable, a symbolic constant, or one of `_pid`, `_nr_pr`, `_last`.
    Reference(Reference),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// `run p(..)`.
    Run {
        /// The process type.
        proctype: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
        /// `run p(..) priority n`.
        priority: Option<Box<Expr>>,
    },
    /// `len(q)`, `empty(q)`, ...
    Channel(ChannelOp, Reference),
    /// `q?[..]`, `q??[..]`.
    Poll {
        /// The channel.
        channel: Reference,
        /// `??`.
        random: bool,
        /// What must match.
        fields: Vec<ReceiveArg>,
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
    /// `p[pid]@label`, `p@label`.
    RemoteLabel {
        /// The process type.
        proctype: Ident,
        /// Which process.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Ident,
    },
    /// `p[pid]:variable`, `p:variable`.
    RemoteVariable {
        /// The process type.
        proctype: Ident,
        /// Which process.
        pid: Option<Box<Expr>>,
        /// Its local variable.
        variable: Reference,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Minus,
    /// `~`
    Complement,
}

/// Operators with two operands; those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
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
pub enum ChannelOp {
    /// `len(q)`
    Len,
    /// `empty(q)`
    Empty,
    /// `nempty(q)`
    NotEmpty,
    /// `full(q)`
    Full,
    /// `nfull(q)`
    NotFull,
}
