//! What is written in a `.net` file.

use crate::pattern::Pattern;

/// Bytes of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub start: usize,
    /// Behind the last.
    pub end: usize,
}

impl Span {
    /// From the beginning of this one to the end of another.
    pub(crate) fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

/// A whole file: named parts, and what they make together.
#[derive(Debug)]
pub struct File {
    /// `let NAME = ...`, in the order in which they were written.
    pub lets: Vec<Let>,
    /// The network.
    pub network: Expr,
}

/// A part with a name.
#[derive(Debug)]
pub struct Let {
    /// The name.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// What it stands for.
    pub expr: Expr,
}

/// A network, or part of one.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of networks.
#[derive(Debug)]
pub enum Kind {
    /// A component in a file.
    File(String),
    /// A name.
    Name(String),
    /// Several side by side, `A |[g]| B |[g]| C`.
    Parallel(Vec<Expr>, Synchronised),
    /// `product(A, B)`: each with the labels that it takes part in, if these are written.
    Product(Vec<(Expr, Option<Labels>)>),
    /// `hide ... in A`
    Hide(Labels, Box<Expr>),
    /// `hide all but ... in A`
    HideAllBut(Labels, Box<Expr>),
    /// `rename ... in A`
    Rename(Vec<Renaming>, Box<Expr>),
}

/// On what two networks wait for each other.
#[derive(Debug)]
pub enum Synchronised {
    /// `|||`
    Nothing,
    /// `||`
    Everything,
    /// `|[...]|`
    These(Labels),
}

/// Labels, each as it is meant, with its place.
pub type Labels = Vec<(Meant, Span)>;

/// How labels are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// By their first word.
    Gate(String),
    /// One label.
    Label(String),
    /// By a regular expression, which was found to be one.
    Regex(String),
}

impl Meant {
    /// The same as a pattern.
    pub(crate) fn pattern(&self) -> Pattern {
        match self {
            Meant::Gate(gate) => Pattern::gate(gate),
            Meant::Label(label) => Pattern::label(label),
            Meant::Regex(regex) => Pattern::regex(regex).expect("the parser has looked at it"),
        }
    }
}

/// `from -> to`
#[derive(Debug)]
pub struct Renaming {
    /// Which labels.
    pub from: Meant,
    /// What they are called then.
    pub to: String,
    /// Where it is written.
    pub span: Span,
}
