//! Data: sorts, operations and the terms that name values.
//!
//! A sort of numbers has one constant and one unary constructor; any other sort has the values that its constructors make. An operation that is no
//! constructor is computed by our library, or by a decision tree that its equations were compiled to (see `decision`). Values and their evaluation are
//! in `values` and `rewriting`.

use crate::decision::Tree;

/// Numbers of sorts, operations, and the values of one worker.
pub(crate) type SortId = u32;
pub(crate) type OpId = u32;
pub(crate) type Val = u32;

/// A value that is not set.
pub(crate) const UNSET: Val = Val::MAX;

/// All sorts and operations.
#[derive(Debug, Default)]
pub(crate) struct Data {
    pub(crate) sorts: Vec<Sort>,
    pub(crate) ops: Vec<Op>,
}

impl Data {
    /// Whether there is an operation whose results are remembered.
    pub(crate) fn remembers(&self) -> bool {
        self.ops.iter().any(|op| matches!(&op.meaning, Meaning::Equations(tree) if tree.is_remembered))
    }
}

#[derive(Debug)]
pub(crate) struct Sort {
    pub(crate) name: Box<str>,
    pub(crate) kind: SortKind,
    /// The constructors, in the order of the text.
    pub(crate) constructors: Vec<OpId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortKind {
    /// Numbers from the first to the second.
    Numbers(i64, i64),
    /// What the constructors make.
    Constructed,
}

#[derive(Debug)]
pub(crate) struct Op {
    pub(crate) name: Box<str>,
    pub(crate) args: Vec<SortId>,
    pub(crate) result: SortId,
    pub(crate) meaning: Meaning,
    /// Which constructor of its sort it is, if it is one.
    pub(crate) ordinal: u32,
}

#[derive(Debug)]
pub(crate) enum Meaning {
    Constructor,
    /// The constant of a sort of numbers.
    Zero,
    /// Its unary constructor.
    Successor,
    Builtin(Builtin),
    Equations(Tree),
}

/// Operations of our own libraries that are computed, since rewriting numbers one by one takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Minimum,
    Maximum,
    Negate,
    Absolute,
    /// The second operand is evaluated only where the first does not decide: in the standard `false and x` is `false` whatever `x` is, and
    /// specifications rely on it, as in `isData (p) and (number (p) eq n)`.
    And,
    Or,
    Implies,
    /// A number of one sort as one of another.
    Convert,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Builtin {
    pub(crate) const NAMES: [(&'static str, Self); 20] = [
        ("add", Self::Add),
        ("subtract", Self::Subtract),
        ("multiply", Self::Multiply),
        ("divide", Self::Divide),
        ("modulo", Self::Modulo),
        ("power", Self::Power),
        ("minimum", Self::Minimum),
        ("maximum", Self::Maximum),
        ("negate", Self::Negate),
        ("absolute", Self::Absolute),
        ("and", Self::And),
        ("or", Self::Or),
        ("implies", Self::Implies),
        ("convert", Self::Convert),
        ("equal", Self::Equal),
        ("unequal", Self::Unequal),
        ("less", Self::Less),
        ("less-equal", Self::LessEqual),
        ("greater", Self::Greater),
        ("greater-equal", Self::GreaterEqual),
    ];
}

/// A value to be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Variable(u32),
    Number(SortId, i64),
    Apply(OpId, Box<[Term]>),
}

/// Two terms that must be equal.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) left: Term,
    pub(crate) right: Term,
}

#[derive(Debug)]
pub(crate) struct Equation {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) premises: Vec<Condition>,
    pub(crate) right: Term,
    pub(crate) variables: usize,
}

#[derive(Debug)]
pub(crate) enum Pattern {
    /// If the variable has a value already, it must be the same.
    Variable(u32),
    Number(i64),
    Successor(Box<Pattern>),
    Construct(OpId, Vec<Pattern>),
    /// A constant that is defined by an equation.
    Constant(Term),
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) text: String,
    /// We gave up, and nothing is known.
    pub(crate) gave_up: bool,
}

impl Trouble {
    pub(crate) fn fault(text: String) -> Self {
        Self { text, gave_up: false }
    }

    pub(crate) fn gave_up(text: String) -> Self {
        Self { text, gave_up: true }
    }
}

pub(crate) fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn read_varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().expect("a state that this model has made");
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}
