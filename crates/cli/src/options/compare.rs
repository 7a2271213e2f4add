//! The arguments of `elnath compare`.

use super::labels::LABELS;
use super::{LabelArgs, ModelArgs, ThenArgs, memory, time};
use clap::{Args as ClapArgs, ValueEnum};
use elnath::{LabelOptions, Relation};
use std::path::PathBuf;
use std::time::Duration;

#[derive(ClapArgs)]
pub(crate) struct CompareArgs {
    /// The left model, in any language; - for standard input
    pub(crate) left: PathBuf,
    /// The right model
    pub(crate) right: PathBuf,
    /// How they are compared; see below
    #[arg(long, short, default_value = "strong", value_name = "RELATION", value_parser = relation)]
    pub(crate) relation: Relation,
    /// Is the left model below the right one: can the right one do what the left one does?
    #[arg(long)]
    pub(crate) preorder: bool,
    /// Both ways (the default)
    #[arg(long, conflicts_with = "preorder")]
    pub(crate) equivalence: bool,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) sides: SideArgs,
    /// Who decides
    #[arg(long, value_enum, default_value_t = CompareEngine::Auto)]
    pub(crate) engine: CompareEngine,
    /// Find a shallowest difference
    #[arg(long, conflicts_with_all = ["search", "store"])]
    pub(crate) shortest: bool,
    /// Do not minimise the components of networks, nor graphs, where many pairs have not decided
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Show a formula that is true of the left model and false of the right one
    #[arg(long)]
    pub(crate) formula: bool,
    /// Write the difference as a sequence of labels (.seq, .txt); - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) seq: Option<PathBuf>,
    /// Write the difference as a graph (.aut); - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) aut: Option<PathBuf>,
    /// Draw the difference (.svg); - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write over existing files; the models are never written over
    #[arg(long, short)]
    pub(crate) force: bool,
    /// The order in which pairs are looked at
    #[arg(long, value_enum, default_value_t = PairOrder::Auto)]
    pub(crate) search: PairOrder,
    /// How pairs are remembered
    #[arg(long, value_enum, default_value_t = PairStore::Exact)]
    pub(crate) store: PairStore,
    /// Memory for the models and the comparison, such as 512MiB or 2GB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Time for the comparison, such as 30s, 10m or 1h30m; without a unit, seconds [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time: Option<Duration>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) then: ThenArgs,
}

/// What becomes of the labels of one of the models, in addition.
#[derive(ClapArgs)]
#[command(next_help_heading = LABELS)]
pub(crate) struct SideArgs {
    /// As --hide, for the left model only
    #[arg(long, value_name = "PATTERN")]
    pub(crate) hide_left: Vec<String>,
    /// As --hide-all-but, for the left model only
    #[arg(long, value_name = "PATTERN")]
    pub(crate) hide_all_but_left: Vec<String>,
    /// As --rename, for the left model only
    #[arg(long, value_name = "PATTERN=>NEW")]
    pub(crate) rename_left: Vec<String>,
    /// As --hide, for the right model only
    #[arg(long, value_name = "PATTERN")]
    pub(crate) hide_right: Vec<String>,
    /// As --hide-all-but, for the right model only
    #[arg(long, value_name = "PATTERN")]
    pub(crate) hide_all_but_right: Vec<String>,
    /// As --rename, for the right model only
    #[arg(long, value_name = "PATTERN=>NEW")]
    pub(crate) rename_right: Vec<String>,
}

impl CompareArgs {
    /// What becomes of the labels of the left model and of the right one.
    pub(crate) fn label_options(&self) -> [LabelOptions; 2] {
        let SideArgs { hide_left, hide_all_but_left, rename_left, .. } = &self.sides;
        let SideArgs { hide_right, hide_all_but_right, rename_right, .. } = &self.sides;
        let both = self.labels.options();
        let side = |hide: &[String], hide_all_but: &[String], rename: &[String]| {
            let (hide, hide_all_but, rename) = (hide.to_vec(), hide_all_but.to_vec(), rename.to_vec());
            both.and(&LabelOptions { hide, hide_all_but, rename })
        };
        [side(hide_left, hide_all_but_left, rename_left), side(hide_right, hide_all_but_right, rename_right)]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareEngine {
    /// The game on the fly and the classes by turns, whoever is first; if both run out of memory, restart
    Auto,
    /// The solver with watched candidates
    Local,
    /// Reachability of a failing pair; only where nothing is to be chosen
    Conjunctive,
    /// The depth-first passes of the 1991 paper, which keep no dependencies
    Restart,
    /// Partition refinement of both models, which are explored completely
    Classes,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairOrder {
    /// Breadth first for a few thousand pairs, then depth first
    Auto,
    /// The pair that was met last first
    Dfs,
    /// The pair that was met first first: shallow differences
    Bfs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairStore {
    /// All of them
    Exact,
    /// As many as fit: with the restart engine, still a proof
    Replacing,
    /// A few bits each: with the conjunctive engine; finds differences, proves nothing
    Bitstate,
}

pub(super) fn relation(text: &str) -> Result<Relation, String> {
    let names = || Relation::NAMES.iter().map(|&(name, _)| name);
    let all = Relation::NAMES.iter().chain(elnath::foreign::RELATIONS);
    match all.copied().find(|&(name, _)| name == text) {
        Some((_, relation)) => Ok(relation),
        None => {
            let near = elnath::source::nearest(text, names());
            let near = near.map(|name| format!("did you mean {name}? ")).unwrap_or_default();
            let all: Vec<&str> = names().collect();
            Err(format!("there is no such relation; {near}known ones are {}", all.join(", ")))
        }
    }
}
