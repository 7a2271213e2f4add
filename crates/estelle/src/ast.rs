//! The tree of a specification as it is written: the grammar of ISO 9074 over Pascal level 0, with the place of everything.

use std::ops::Range;

/// Bytes of the text.
pub(crate) type Span = Range<usize>;

/// An identifier. Estelle does not tell capitals from small letters.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// As it is written.
    pub text: String,
    /// In small letters: what is compared.
    pub key: String,
    pub span: Span,
}

/// How the children of a module, or the module and its siblings, proceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    SystemProcess,
    SystemActivity,
    Process,
    Activity,
}

impl Class {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::SystemProcess => "systemprocess",
            Class::SystemActivity => "systemactivity",
            Class::Process => "process",
            Class::Activity => "activity",
        }
    }

    pub(crate) fn is_system(self) -> bool {
        matches!(self, Class::SystemProcess | Class::SystemActivity)
    }

    /// Whether its children take turns, instead of moving together.
    pub(crate) fn alternates(self) -> bool {
        matches!(self, Class::SystemActivity | Class::Activity)
    }
}

/// Whether an interaction point has a queue of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    Common,
    Individual,
}

#[derive(Clone, Debug)]
pub(crate) struct Specification {
    pub name: Name,
    pub class: Option<Class>,
    pub default: Option<Queue>,
    pub body: Block,
}

/// What is between `body .. for ..;` and `end;`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub declarations: Vec<Declaration>,
    pub initialize: Vec<Group>,
    /// By `trans`.
    pub transitions: Vec<Vec<Group>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Declaration {
    Const(Name, Expr),
    Type(Name, TypeExpr),
    Channel(Channel),
    Module(Module),
    Body(Body),
    Points(Vec<Point>),
    ModVar(Vec<Name>, TypeExpr),
    Var(Vec<Name>, TypeExpr),
    States(Vec<Name>),
    StateSet(Name, Vec<Name>),
    Routine(Box<Routine>),
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub name: Name,
    pub roles: [Name; 2],
    pub groups: Vec<(Vec<Name>, Vec<Interaction>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Interaction {
    pub name: Name,
    pub parameters: Vec<(Vec<Name>, TypeExpr)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub name: Name,
    pub class: Option<Class>,
    pub parameters: Vec<(Vec<Name>, TypeExpr)>,
    pub points: Vec<Point>,
}

/// A declaration of interaction points.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub names: Vec<Name>,
    /// The index types of an array.
    pub dims: Vec<TypeExpr>,
    pub channel: Name,
    pub role: Name,
    pub queue: Option<Queue>,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub name: Name,
    pub module: Name,
    /// `external` if there is none.
    pub block: Option<Block>,
}

#[derive(Clone, Debug)]
pub(crate) struct Routine {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub result: Option<TypeExpr>,
    pub declarations: Vec<Declaration>,
    /// None if it is declared elsewhere (`primitive`, `forward`, `external`).
    pub block: Option<Vec<Statement>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub names: Vec<Name>,
    pub by_reference: bool,
    pub ty: TypeExpr,
}

/// A transition as it is written: its own clauses only.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub clauses: Vec<Clause>,
    pub declarations: Vec<Declaration>,
    pub name: Option<Name>,
    pub block: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub kind: ClauseKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ClauseKind {
    From(Vec<Name>),
    /// `same` if there is none.
    To(Option<Name>),
    When {
        point: Name,
        indices: Vec<Expr>,
        message: Name,
        parameters: Option<Vec<Name>>,
    },
    /// `otherwise` if there is none.
    Provided(Option<Expr>),
    Priority(Expr),
    /// No second bound: the first is both; `Some(None)`: `*`.
    Delay(Expr, Option<Option<Expr>>),
    Any(Vec<(Vec<Name>, TypeExpr)>),
}

impl ClauseKind {
    /// Clauses of one number replace each other.
    pub(crate) fn number(&self) -> usize {
        match self {
            ClauseKind::From(_) => 0,
            ClauseKind::To(_) => 1,
            ClauseKind::When { .. } => 2,
            ClauseKind::Provided(_) => 3,
            ClauseKind::Priority(_) => 4,
            ClauseKind::Delay(..) => 5,
            ClauseKind::Any(_) => 6,
        }
    }

    pub(crate) const WORDS: [&'static str; 7] =
        ["from", "to", "when", "provided", "priority", "delay", "any"];
}

#[derive(Clone, Debug)]
pub(crate) struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Name(Name),
    Range(Box<[Expr; 2]>),
    Enumeration(Vec<Name>),
    Array(Vec<TypeExpr>, Box<TypeExpr>),
    Record(Vec<(Vec<Name>, TypeExpr)>),
    Set(Box<TypeExpr>),
    /// What is read and refused, and its name.
    Refused(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// How many expressions are within each other here.
    pub height: usize,
}

impl Expr {
    pub(crate) fn new(kind: ExprKind, span: Span) -> Self {
        let highest = |all: &[Expr]| all.iter().map(|expr| expr.height).max().unwrap_or(0);
        let below = match &kind {
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Refused(_) => 0,
            ExprKind::Access(access) => {
                let indices = access.selectors.iter().map(|selector| match selector {
                    Selector::Index(indices) => highest(indices),
                    Selector::Field(_) | Selector::Pointer(_) => 0,
                });
                indices.max().unwrap_or(0)
            }
            ExprKind::Call(_, arguments) => highest(arguments),
            ExprKind::Not(a) | ExprKind::Minus(a) | ExprKind::Exist(_, _, a) => a.height,
            ExprKind::Binary(_, operands) => highest(&operands[..]),
            ExprKind::Set(members) => {
                let each = members.iter().map(|(a, b)| a.height.max(b.as_ref().map_or(0, |b| b.height)));
                each.max().unwrap_or(0)
            }
        };
        Self { kind, span, height: below + 1 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// `/`, which makes reals.
    Quotient,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Number(i64),
    Text(String),
    Access(Access),
    Call(Name, Vec<Expr>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Operator, Box<[Expr; 2]>),
    Set(Vec<(Expr, Option<Expr>)>),
    Exist(Vec<Name>, TypeExpr, Box<Expr>),
    /// What is read and refused, and its name.
    Refused(&'static str),
}

/// A name with what selects a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub name: Name,
    pub selectors: Vec<Selector>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Selector {
    Field(Name),
    Index(Vec<Expr>),
    Pointer(Span),
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// The values of an option of `case`, and what is done then.
pub(crate) type CaseArm = (Vec<(Expr, Option<Expr>)>, Statement);

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Assign(Access, Expr),
    Call(Name, Vec<Expr>),
    Compound(Vec<Statement>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    Case(Expr, Vec<CaseArm>, Option<Vec<Statement>>),
    While(Expr, Box<Statement>),
    Repeat(Vec<Statement>, Expr),
    For {
        variable: Name,
        from: Expr,
        to: Expr,
        down: bool,
        body: Box<Statement>,
    },
    With(Vec<Access>, Box<Statement>),
    Output {
        point: Name,
        indices: Vec<Expr>,
        message: Name,
        arguments: Vec<Expr>,
    },
    Init {
        variable: Access,
        body: Name,
        arguments: Vec<Expr>,
    },
    /// `connect` if the first is true, else `attach`.
    Bind(bool, Box<[Access; 2]>),
    All(Vec<Name>, TypeExpr, Box<Statement>),
    ForOne {
        names: Vec<Name>,
        ty: TypeExpr,
        such: Expr,
        body: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    Empty,
    /// What is read and refused, and its name.
    Refused(&'static str),
}
