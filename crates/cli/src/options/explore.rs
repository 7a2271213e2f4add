//! The arguments of `elnath explore`, and the options with which other commands open the page when they have answered.

use super::{LabelArgs, ModelArgs, SHOWN, memory};
use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(ClapArgs)]
pub(crate) struct ExploreArgs {
    /// The model, in any language
    pub(crate) file: PathBuf,
    /// The port of the page; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Also show the run that a trail describes, SPIN's or ours (Promela)
    #[arg(long, value_name = "FILE")]
    pub(crate) trail: Option<PathBuf>,
    /// Memory for the checks that the page starts, such as 512MiB or 2GB [default: half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// What to do when the answer is known.
#[derive(ClapArgs)]
#[command(next_help_heading = SHOWN)]
#[group(skip)]
pub(crate) struct ThenArgs {
    /// Then serve a page in which the model can be explored, with the runs that were found; Ctrl-C ends it
    #[arg(long)]
    pub(crate) explore: bool,
    /// The port of that page [default: any that is free]
    #[arg(long, value_name = "N", requires = "explore")]
    pub(crate) port: Option<u16>,
}
