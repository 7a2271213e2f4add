//! Options of `elnath explain`.

use clap::Args as ClapArgs;

#[derive(ClapArgs)]
pub(crate) struct ExplainArgs {
    /// Codes, names or groups of findings; without any, all are listed
    pub(crate) words: Vec<String>,
    /// Print the page of all findings in Markdown
    #[arg(long, conflicts_with = "words")]
    pub(crate) markdown: bool,
}
