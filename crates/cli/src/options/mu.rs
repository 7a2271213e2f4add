//! The command line of `elnath mu`, and the options of `elnath check` about branching time.

use super::{ASKED, SHOWN};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// What must be true of the graph of the system, from its initial state on.
#[derive(ClapArgs)]
#[command(next_help_heading = ASKED)]
#[group(skip)]
pub(crate) struct BranchingArgs {
    /// The initial state satisfies this formula of the modal mu-calculus: mu X. nu X. ! && || ->, `<R>` and `[R]` with regular
    /// formulas R over actions (`.` `|` `*` `+` `?`; labels, `true`, `tau`, not and or), `<R> @`, `deadlock`; operators of CTL may be used in it
    #[arg(long, value_name = "FORMULA", conflicts_with_all = CONFLICTS)]
    pub(crate) mu: Option<String>,
    /// The initial state satisfies this formula of CTL: AG AF AX EG EF EX, A[p U q], E[p W q], A[] p, E<> p, p --> q
    #[arg(long, value_name = "FORMULA", conflicts_with_all = CONFLICTS)]
    pub(crate) ctl: Option<String>,
    /// The initial state satisfies the formulas in this file: one, or several that begin with `NAME:` on a line of their own (.mcf: as
    /// mCRL2 reads it, .mcl: as CADP does)
    #[arg(long, value_name = "FILE", conflicts_with_all = CONFLICTS)]
    pub(crate) mu_file: Option<PathBuf>,
    /// Write the part of the model that shows the verdict on --mu, --ctl or --mu-file as a graph (.aut, .dot); - for standard output
    #[arg(long, value_name = "FILE", help_heading = SHOWN)]
    pub(crate) evidence: Option<PathBuf>,
}

/// What formulas of branching time do not go together with.
const CONFLICTS: &[&str] = &[
    "property",
    "only",
    "safety_only",
    "forbid",
    "ltlf",
    "all_errors",
    "end_states",
    "fair",
    "finite_runs",
    "explore",
    "trail",
    "swarm",
    "faults",
];

impl BranchingArgs {
    /// Whether there is such a formula.
    pub(crate) fn is_wanted(&self) -> bool {
        self.mu.is_some() || self.ctl.is_some() || self.mu_file.is_some()
    }
}

#[derive(ClapArgs)]
pub(crate) struct MuArgs {
    /// The formula, of the mu-calculus or of CTL
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    pub(crate) formula: Option<String>,
    /// Read the formulas of a file instead, as `check --mu-file` does
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
