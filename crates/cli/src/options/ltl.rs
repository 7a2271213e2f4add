//! The command line of `elnath ltl`.

use super::{memory, time};
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(ClapArgs)]
pub(crate) struct LtlArgs {
    /// The formula, in the spelling of Spot, SPIN or LTSmin
    #[arg(required_unless_present = "automaton", conflicts_with = "automaton")]
    pub(crate) formula: Option<String>,
    /// Read an automaton in HOA instead of a formula; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) automaton: Option<PathBuf>,
    /// The format to write [default: by the ending of the output's name, else text]
    #[arg(long, value_enum)]
    pub(crate) format: Option<AutomatonFormat>,
    /// Which automaton over infinite words; a never claim is always a Büchi automaton
    #[arg(long = "type", value_enum, default_value_t = AutomatonType::Tgba, value_name = "TYPE")]
    pub(crate) kind: AutomatonType,
    /// The automaton of the negated formula
    #[arg(long, conflicts_with = "automaton")]
    pub(crate) negate: bool,
    /// The minimal automaton over finite words; with =prefix only words of which every prefix satisfies the formula
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "words")]
    #[arg(value_name = "WHICH", conflicts_with_all = ["automaton", "kind"])]
    pub(crate) finite: Option<FiniteWords>,
    /// Propositions are actions, of which one happens at a time; `tau` is any that the formula does not name
    #[arg(long, requires = "finite")]
    pub(crate) actions: bool,
    /// What X says at the end of a finite word: nothing (weak), or that there is no end yet (strong, as X[!])
    #[arg(long, value_enum, default_value_t = Next::Weak, requires = "finite")]
    pub(crate) next: Next,
    /// Whose rules say how operators bind
    #[arg(long, value_enum, default_value_t = Dialect::Spot)]
    pub(crate) dialect: Dialect,
    /// Memory for the translation, such as 2GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Time for the translation, such as 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "1m")]
    pub(crate) time: Duration,
    /// Where to write it; - for standard output
    #[arg(long, short, default_value = "-", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Write over an existing file
    #[arg(long, short)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutomatonFormat {
    /// A table for people
    Text,
    /// Hanoi Omega-Automata, version 1
    Hoa,
    /// Graphviz
    Dot,
    /// A never claim of SPIN's
    Never,
    /// A picture
    Svg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutomatonType {
    /// Generalised Büchi, acceptance on transitions: the smallest
    Tgba,
    /// Büchi, acceptance on states
    #[value(alias = "ba")]
    Buchi,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FiniteWords {
    /// The words that satisfy the formula
    Words,
    /// The words all of whose prefixes do, the empty one apart
    Prefix,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Next {
    Weak,
    Strong,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    Spot,
    Spin,
    Ltsmin,
}
