//! A specification as it is written.

use crate::sources::Span;
use std::rc::Rc;

/// A name, in lower case.
#[derive(Clone, Debug)]
pub(crate) struct Ident {
    pub(crate) name: Rc<str>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Specification {
    /// The specification itself, as a process.
    pub(crate) root: Process,
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: Ident,
    pub(crate) gates: Vec<Ident>,
    pub(crate) params: Vec<Variable>,
    pub(crate) functionality: Functionality,
    pub(crate) body: Behaviour,
    pub(crate) types: Vec<Type>,
    pub(crate) processes: Vec<Process>,
}

#[derive(Clone, Debug)]
pub(crate) struct Functionality {
    /// None: `noexit`.
    pub(crate) sorts: Option<Vec<Ident>>,
    pub(crate) span: Span,
}

/// A variable with its sort.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Ident,
    pub(crate) sort: Ident,
}

#[derive(Debug)]
pub(crate) struct Behaviour {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Stop,
    Exit(Vec<ExitItem>),
    /// `i; B`, or `g !v ?x:s [cond]; B`.
    Prefix {
        gate: Option<Ident>,
        offers: Vec<OfferText>,
        guard: Option<Cond>,
        next: Box<Behaviour>,
    },
    Guard(Cond, Box<Behaviour>),
    Choice(Box<Behaviour>, Box<Behaviour>),
    Parallel(Operator, Box<Behaviour>, Box<Behaviour>),
    Hide(Vec<Ident>, Box<Behaviour>),
    Let(Vec<(Variable, Expr)>, Box<Behaviour>),
    ChoiceValues(Vec<Variable>, Box<Behaviour>),
    ChoiceGates(Ident, Vec<Ident>, Box<Behaviour>),
    ParGates(Ident, Vec<Ident>, Operator, Box<Behaviour>),
    Call(Ident, Vec<Ident>, Vec<Expr>),
    Enable {
        left: Box<Behaviour>,
        accept: Vec<Variable>,
        right: Box<Behaviour>,
        atomic: bool,
    },
    Disable(Box<Behaviour>, Box<Behaviour>),
}

/// One of the results of `exit`.
#[derive(Debug)]
pub(crate) enum ExitItem {
    Value(Expr),
    Any(Ident),
}

#[derive(Debug)]
pub(crate) enum OfferText {
    Send(Expr),
    Receive(Variable),
}

/// Which gates both sides use together.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    All,
    None,
    Gates(Vec<Ident>),
}

/// A value, which must be true; or two, which must be equal.
#[derive(Debug)]
pub(crate) struct Cond {
    pub(crate) left: Expr,
    pub(crate) right: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    /// An operation, or a variable if there are no arguments.
    Apply(Ident, Vec<Expr>),
    Of(Box<Expr>, Ident),
}

#[derive(Debug)]
pub(crate) struct Type {
    pub(crate) name: Ident,
    pub(crate) imports: Vec<Ident>,
    pub(crate) formal: Signature,
    pub(crate) own: Signature,
    /// `renamedby`, or what follows `using`.
    pub(crate) renaming: Option<Renaming>,
    /// `actualizedby`.
    pub(crate) actual: Option<Vec<Ident>>,
}

#[derive(Debug, Default)]
pub(crate) struct Signature {
    pub(crate) sorts: Vec<(Ident, Attributes)>,
    pub(crate) operations: Vec<OperationText>,
    pub(crate) equations: Vec<EquationText>,
}

#[derive(Debug)]
pub(crate) struct OperationText {
    pub(crate) name: Ident,
    pub(crate) args: Vec<Ident>,
    pub(crate) result: Ident,
    pub(crate) attributes: Attributes,
}

/// What special comments say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    pub(crate) constructor: bool,
    pub(crate) external: bool,
    /// What computes it, in our own libraries.
    pub(crate) builtin: Option<Rc<str>>,
}

#[derive(Debug)]
pub(crate) struct EquationText {
    pub(crate) variables: Rc<Vec<Variable>>,
    pub(crate) sort: Option<Ident>,
    pub(crate) premises: Vec<Cond>,
    pub(crate) left: Expr,
    pub(crate) right: Expr,
}

/// New names for old ones, in this order.
#[derive(Debug, Default)]
pub(crate) struct Renaming {
    pub(crate) sorts: Vec<(Ident, Ident)>,
    pub(crate) operations: Vec<(Ident, Ident)>,
}
