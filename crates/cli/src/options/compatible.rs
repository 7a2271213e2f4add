//! The options of `elnath compatible`.

use super::{languages, memory, time};
use clap::Args as ClapArgs;
use std::path::PathBuf;
use std::time::Duration;

#[derive(ClapArgs)]
pub(crate) struct CompatibleArgs {
    /// The model: communicating machines (.fifo, .fsa, .scm, .cfsm) or session types (.txt)
    pub(crate) file: PathBuf,
    /// Ask about channels of this capacity only [default: look for the least capacity that settles it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(elnath::compatible::MOST_K)))]
    pub(crate) k: Option<u32>,
    /// The greatest capacity that is tried
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "k",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(elnath::compatible::MOST_K)))]
    pub(crate) max_k: u32,
    /// Draw the run to where something is wrong as a space-time diagram (.svg, or .txt for text); - for text in the report
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
    /// Write over existing files; the model is never written over
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Memory for states, such as 512MiB or 2GB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Time for the walks, such as 30s, 10m or 1h30m; without a unit, seconds [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time: Option<Duration>,
    /// The language of the model [default: told by the ending of its name]
    #[arg(long, value_name = "NAME", value_parser = languages())]
    pub(crate) language: Option<String>,
}
