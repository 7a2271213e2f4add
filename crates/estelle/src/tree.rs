//! A specification with every name resolved and every type known: what the checks leave for instantiation and lowering.
//!
//! All variables of a body are in one table, those of its routines and transitions included: without recursion each of them has one
//! activation at a time, so that each needs one place.

use crate::ast::{Class, Operator, Queue, Span};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) enum Base {
    Int,
    Bool,
    Char,
    Enumeration(Arc<Enumeration>),
}

#[derive(Debug)]
pub(crate) struct Enumeration {
    pub values: Vec<String>,
}

/// A range of something that is counted.
#[derive(Clone, Debug)]
pub(crate) struct Ordinal {
    pub base: Base,
    pub low: i32,
    pub high: i32,
}

impl Ordinal {
    pub(crate) fn int(low: i32, high: i32) -> Self {
        Self { base: Base::Int, low, high }
    }

    pub(crate) fn boolean() -> Self {
        Self { base: Base::Bool, low: 0, high: 1 }
    }

    pub(crate) fn count(&self) -> u64 {
        (i64::from(self.high) - i64::from(self.low) + 1).max(0) as u64
    }

    pub(crate) fn same_base(&self, other: &Self) -> bool {
        match (&self.base, &other.base) {
            (Base::Int, Base::Int) | (Base::Bool, Base::Bool) | (Base::Char, Base::Char) => true,
            (Base::Enumeration(a), Base::Enumeration(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// What a variable holds that nothing was stored to.
    pub(crate) fn first(&self) -> i32 {
        if (self.low..=self.high).contains(&0) { 0 } else { self.low }
    }

    pub(crate) fn values(&self) -> std::ops::RangeInclusive<i32> {
        self.low..=self.high
    }

    /// A value, for people.
    pub(crate) fn show(&self, value: i32) -> String {
        match &self.base {
            Base::Int => value.to_string(),
            Base::Bool => (value != 0).to_string(),
            Base::Char => format!("'{}'", char::from(value as u8)),
            Base::Enumeration(all) => {
                all.values.get(value as usize).cloned().unwrap_or_else(|| value.to_string())
            }
        }
    }

    pub(crate) fn name(&self) -> String {
        match &self.base {
            Base::Int if self.low == i32::MIN && self.high == i32::MAX => "an integer".to_owned(),
            Base::Int if self.low == self.high => self.low.to_string(),
            Base::Int => format!("{}..{}", self.low, self.high),
            Base::Bool => "boolean".to_owned(),
            Base::Char => "char".to_owned(),
            Base::Enumeration(all) => format!("({})", all.values.join(", ")),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Record {
    /// Key, name and type of each field.
    pub fields: Vec<(String, String, Ty)>,
}

#[derive(Debug)]
pub(crate) struct Array {
    pub index: Ordinal,
    pub element: Ty,
}

#[derive(Clone, Debug)]
pub(crate) enum Ty {
    Ordinal(Ordinal),
    /// At most 31 values, as bits.
    Set(Ordinal),
    Record(Arc<Record>),
    Array(Arc<Array>),
    /// It could not be read; nothing is said about it again.
    Bad,
}

impl Ty {
    pub(crate) fn ordinal(&self) -> Option<&Ordinal> {
        match self {
            Ty::Ordinal(ordinal) => Some(ordinal),
            _ => None,
        }
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Ty::Ordinal(_) | Ty::Set(_) | Ty::Bad)
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Ty::Ordinal(ordinal) => ordinal.name(),
            Ty::Set(ordinal) => format!("set of {}", ordinal.name()),
            Ty::Record(_) => "a record".to_owned(),
            Ty::Array(array) => format!("array [{}] of {}", array.index.name(), array.element.name()),
            Ty::Bad => "something unknown".to_owned(),
        }
    }

    /// How many scalars it is made of.
    pub(crate) fn scalars(&self) -> u64 {
        match self {
            Ty::Ordinal(_) | Ty::Set(_) | Ty::Bad => 1,
            Ty::Record(record) => record.fields.iter().map(|(_, _, ty)| ty.scalars()).sum(),
            Ty::Array(array) => array.index.count().saturating_mul(array.element.scalars()),
        }
    }

    /// Whether a value of `other` may be stored in it, as far as types tell.
    pub(crate) fn takes(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Bad, _) | (_, Ty::Bad) => true,
            (Ty::Ordinal(a), Ty::Ordinal(b)) | (Ty::Set(a), Ty::Set(b)) => a.same_base(b),
            (Ty::Record(a), Ty::Record(b)) => Arc::ptr_eq(a, b),
            (Ty::Array(a), Ty::Array(b)) => {
                a.index.same_base(&b.index)
                    && (a.index.low, a.index.high) == (b.index.low, b.index.high)
                    && a.element.takes(&b.element)
            }
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarKind {
    /// Of the module: part of the state.
    Module,
    /// A parameter of the module.
    Parameter,
    /// A parameter of the message that a transition takes: which of them.
    Message(usize),
    /// Of a routine or transition.
    Local,
    /// A parameter by reference: it stands for another variable.
    Reference,
    /// Of `any`, `all`, `exist`, `forone`: it stands for a value.
    Choice,
}

#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: String,
    pub ty: Ty,
    pub kind: VarKind,
    /// Whether anything after the initialisation stores to it.
    pub changes: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Sel {
    Field(usize),
    Index(X, Ordinal),
}

/// A variable, or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct L {
    pub var: usize,
    pub path: Vec<Sel>,
    pub ty: Ty,
}

#[derive(Clone, Debug)]
pub(crate) struct X {
    pub kind: K,
    pub ty: Ty,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum K {
    Const(i32),
    Load(L),
    Not(Box<X>),
    Minus(Box<X>),
    Binary(Operator, Box<[X; 2]>),
    /// In a set that is written out.
    Among(Box<X>, Vec<(X, Option<X>)>),
    SetOf(Vec<(X, Option<X>)>),
    Call(usize, Vec<Arg>),
    Exist(Vec<usize>, Box<X>),
    Abs(Box<X>),
    Odd(Box<X>),
}

#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Value(X),
    Reference(L),
}

/// An interaction point of a module variable, or one's own.
#[derive(Clone, Debug)]
pub(crate) struct PointRef {
    pub module: Option<(usize, Vec<X>)>,
    pub point: usize,
    pub indices: Vec<X>,
}

#[derive(Clone, Debug)]
pub(crate) struct S {
    pub kind: SK,
    pub span: Span,
}

/// The values of an option of `case`, and what is done then.
pub(crate) type Arm = (Vec<(i32, i32)>, Vec<S>);

#[derive(Clone, Debug)]
pub(crate) enum SK {
    Assign(L, X),
    Call(usize, Vec<Arg>),
    If(X, Vec<S>, Vec<S>),
    Case(X, Vec<Arm>, Option<Vec<S>>),
    While(X, Vec<S>),
    Repeat(Vec<S>, X),
    For { variable: L, from: X, to: X, down: bool, body: Vec<S> },
    Output { point: usize, indices: Vec<X>, message: usize, arguments: Vec<X> },
    All(Vec<usize>, Vec<S>),
    ForOne { vars: Vec<usize>, such: X, body: Vec<S>, otherwise: Vec<S> },
    Init { modvar: usize, indices: Vec<X>, body: usize, arguments: Vec<X> },
    Bind { connect: bool, ends: Box<[PointRef; 2]> },
}

#[derive(Debug)]
pub(crate) struct ChannelDef {
    /// Keys of the roles, and how they are written.
    pub roles: [(String, String); 2],
    pub messages: Vec<MessageDef>,
}

#[derive(Debug)]
pub(crate) struct MessageDef {
    pub key: String,
    pub name: String,
    /// Key and type.
    pub parameters: Vec<(String, String, Ty)>,
    /// Which role may send it.
    pub by: [bool; 2],
}

#[derive(Clone, Debug)]
pub(crate) struct PointDef {
    pub key: String,
    pub name: String,
    pub dims: Vec<Ordinal>,
    pub channel: usize,
    pub role: usize,
    pub queue: Option<Queue>,
}

#[derive(Debug)]
pub(crate) struct ModuleDef {
    pub name: String,
    pub class: Option<Class>,
    pub parameters: Vec<(String, String, Ty)>,
    pub points: Vec<PointDef>,
    /// Keys of interaction points whose declaration is broken.
    pub broken: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct ModVarDef {
    pub name: String,
    pub dims: Vec<Ordinal>,
    pub module: usize,
}

#[derive(Debug)]
pub(crate) struct RoutineDef {
    pub parameters: Vec<usize>,
    pub result: Option<usize>,
    pub body: Vec<S>,
}

#[derive(Debug)]
pub(crate) struct When {
    pub point: usize,
    pub indices: Vec<X>,
    pub message: usize,
    /// The variables of the parameters.
    pub parameters: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct TransitionDef {
    pub name: Option<String>,
    /// All states if empty.
    pub from: Vec<usize>,
    pub to: Option<usize>,
    pub when: Option<When>,
    pub provided: Option<X>,
    pub priority: Option<i32>,
    /// The least and the most; no most: any time after.
    pub delay: Option<(X, Option<X>)>,
    pub any: Vec<usize>,
    pub body: Vec<S>,
    pub span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct BodyDef {
    pub module: Option<usize>,
    /// The interaction points of its module, then its own.
    pub points: Vec<PointDef>,
    pub vars: Vec<Var>,
    pub states: Vec<String>,
    pub modvars: Vec<ModVarDef>,
    pub routines: Vec<RoutineDef>,
    pub initialize: Vec<TransitionDef>,
    pub transitions: Vec<TransitionDef>,
    pub span: Span,
}

/// A specification that was checked.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub name: String,
    pub class: Option<Class>,
    pub default: Option<Queue>,
    pub channels: Vec<ChannelDef>,
    pub modules: Vec<ModuleDef>,
    pub bodies: Vec<BodyDef>,
    /// The body of the specification itself.
    pub root: usize,
}
