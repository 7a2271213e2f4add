//! The options of `elnath experiment`.

use super::{GraphArgs, ModelArgs, Replacement, compare};
use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum ExperimentCommand {
    /// How little memory does depth-first search with replacement need? (1993 paper, section 2.3, figures 1 and 2)
    ///
    /// Sweeps the memory of the replacing store from all R states down to where the search thrashes or its path no
    /// longer fits, and writes a table (CSV) and a plot (SVG) of the insertions and the time over the memory. The two
    /// dashed lines of the plot are the paper's bounds: R, and the smallest memory with which the search ended.
    Replacement(ReplacementArgs),
    /// How small a heap does the on-line check need? (1989 paper, section 4.3, figure 8)
    ///
    /// Checks the connect-disconnect protocol with the formula true, which generates all its states, with heaps from all
    /// D states down to none, and writes a table (CSV) and a plot (SVG) of the generated states and the time over the
    /// size of the heap. The stack is beside the heap, as in the paper.
    ConnectDisconnect(ProtocolArgs),
    /// The Datalink protocol against its service (1991 paper, section 5.2.1)
    ///
    /// Compares the two on the fly, for several numbers of messages, and writes a table (CSV) beside that of the paper, and
    /// a plot (SVG) of the pairs and the time over the number of messages.
    Datalink(DatalinkArgs),
    /// What do sleep sets do for a store that forgets? (Godefroid, Holzmann, Pirottin 1992)
    ///
    /// Searches each model with the replacing store, without sleep sets and with them, with memory for all its states, a
    /// half, a quarter and a tenth of them, and writes a table (CSV) and a plot (SVG) of the insertions and the time; last
    /// comes a random graph of the 1993 paper, for comparison.
    Caching(CachingArgs),
}

#[derive(ClapArgs)]
pub(crate) struct CachingArgs {
    /// The models
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Every N-th level is spared
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) strata: u32,
    /// Give up when this many times as many states have been inserted as different ones were seen so far
    #[arg(long, default_value_t = 6, value_name = "FACTOR", value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) thrashing: u64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Writes NAME.csv and NAME.svg; - for the table alone on standard output
    #[arg(long, short, default_value = "caching", value_name = "NAME")]
    pub(crate) output: PathBuf,
    /// Write over existing files
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(ClapArgs)]
pub(crate) struct DatalinkArgs {
    /// Number of different messages [default: 20 to 80 by 10 as in the paper, then 160, 320 and 640]
    #[arg(short, value_name = "MESSAGES", value_parser = clap::value_parser!(u16).range(1..=5000))]
    pub(crate) n: Vec<u16>,
    /// How they are compared; the paper's is tau-star-a
    #[arg(long, short, default_value = "tau-star-a", value_name = "RELATION", value_parser = compare::relation)]
    pub(crate) relation: elnath::Relation,
    /// Runs per number of messages; the table has the median of their times
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Writes NAME.csv and NAME.svg; - for the table alone on standard output
    #[arg(long, short, default_value = "datalink", value_name = "NAME")]
    pub(crate) output: PathBuf,
    /// Write over existing files
    #[arg(long, short)]
    pub(crate) force: bool,
}

#[derive(ClapArgs)]
pub(crate) struct ProtocolArgs {
    /// Places of the channel from A to B
    #[arg(short, default_value_t = 20, value_name = "PLACES", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) n: u16,
    /// Runs per size of the heap, with different seeds; the table has their means
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Give up a size when this many times as many states have been generated as different ones were seen so far
    #[arg(long, default_value_t = 5000, value_name = "FACTOR", value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) thrashing: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Writes NAME.csv and NAME.svg; - for the table alone on standard output
    #[arg(long, short, default_value = "connect-disconnect", value_name = "NAME")]
    pub(crate) output: PathBuf,
    /// Write over existing files
    #[arg(long, short)]
    pub(crate) force: bool,
}

#[derive(ClapArgs)]
pub(crate) struct ReplacementArgs {
    /// A model; without one, a random graph is generated
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Which visited state is forgotten
    #[arg(long, value_enum, default_value_t = Replacement::Random, value_name = "WHICH")]
    pub(crate) replacement: Replacement,
    /// Stratified replacement spares every N-th level
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) strata: u32,
    /// Runs per memory size, with different seeds; the table has their means
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Give up a memory size when this many times as many states have been inserted as different ones were seen so far
    #[arg(long, default_value_t = 50, value_name = "FACTOR", value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) thrashing: u64,
    /// Writes NAME.csv and NAME.svg; - for the table alone on standard output
    #[arg(long, short, default_value = "replacement", value_name = "NAME")]
    pub(crate) output: PathBuf,
    /// Write over existing files
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}
