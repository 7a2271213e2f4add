//! The part of the command line of `elnath check` that is about finite runs.

use super::{ASKED, RUNS};
use clap::{Args as ClapArgs, ValueEnum};

/// What must be true of the finite runs.
#[derive(ClapArgs)]
#[command(next_help_heading = ASKED)]
pub(crate) struct FiniteArgs {
    /// Finite runs satisfy this formula: LTL over finite words, in which X is weak at the end and X[!] strong;
    /// propositions as with --ltl
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["forbid", "property", "end_states"])]
    pub(crate) ltlf: Option<String>,
    /// Which finite runs
    #[arg(
        long,
        value_enum,
        default_value_t = Which::Prefix,
        value_name = "WHICH",
        requires = "ltlf",
        help_heading = RUNS
    )]
    pub(crate) finite: Which,
    /// Whether the run without steps must satisfy it, too [default: skip with prefix, check with maximal]
    #[arg(long, value_enum, value_name = "WHAT", requires = "ltlf", help_heading = RUNS)]
    pub(crate) empty_word: Option<EmptyWord>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// Every finite computation, and so every prefix of a run
    Prefix,
    /// The runs that end in a deadlock
    Maximal,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmptyWord {
    Check,
    Skip,
}
