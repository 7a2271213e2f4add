//! The options of `elnath bounded`.

use super::{ModelArgs, ThenArgs, count, memory, time};
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(ClapArgs)]
pub(crate) struct BoundedArgs {
    /// The model: communicating machines (.fifo, .scm, .fsa, .cfsm, .txt) or Promela
    pub(crate) file: PathBuf,
    /// Lift the capacities of these channels only
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) channels: Option<Vec<String>>,
    /// What is asked of two states between which something may be repeated
    #[arg(long, value_enum, default_value_t = Relation::Th93)]
    pub(crate) relation: Relation,
    /// Make only this search [default: depth first, and if it runs into a limit without memory, in another order and
    /// breadth first, with more and more of everything]
    #[arg(long, value_enum)]
    pub(crate) search: Option<Walk>,
    /// Compare a state with so many before it
    #[arg(long, value_name = "STATES", default_value = "10000", value_parser = count)]
    pub(crate) window: u64,
    /// Do not use the static methods
    #[arg(long)]
    pub(crate) no_static: bool,
    /// Show the certificates of static bounds
    #[arg(long)]
    pub(crate) certificates: bool,
    /// How many rounds of what is repeated are shown and drawn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=3))]
    pub(crate) rounds: u16,
    /// Draw the run that floods, three rounds, as a space-time diagram (.svg, or .txt for text); - for text in the report
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
    /// Plot the lengths of the channels along that run, three rounds (.svg); - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Write over existing files; the model is never written over
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Memory for states, such as 512MiB or 2GB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Time for the searches, such as 30s, 10m or 1h30m; without a unit, seconds [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time: Option<Duration>,
    /// Longest run followed, in transitions
    #[arg(long, value_name = "STEPS", default_value = "100000", value_parser = count)]
    pub(crate) depth: u64,
    /// Most transitions fired, in all searches together
    #[arg(long, value_name = "N", default_value = "500000", value_parser = count)]
    pub(crate) firings: u64,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) then: ThenArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Relation {
    /// C(S).phi is a prefix of C(S').phi: exact
    Th93,
    /// Definition 6 of the 1990 report, first form
    Theta,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Walk {
    /// Depth first, with a memory of visited states that forgets when it is full
    Dfs,
    /// Depth first through the tree of runs
    Tree,
    /// Depth first, the last transitions first
    Backwards,
    /// Breadth first
    Bfs,
}
