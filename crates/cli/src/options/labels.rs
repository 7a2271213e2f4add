//! Hiding and renaming, the same in every command that has labels.

use clap::Args as ClapArgs;
use elnath::LabelOptions;
use elnath::net::Rules;
use elnath::source::Message;
use std::sync::Arc;

pub(super) const LABELS: &str = "Labels (a PATTERN is a regular expression that matches the whole label)";

/// What becomes of labels before anything is asked about them.
#[derive(ClapArgs)]
#[command(next_help_heading = LABELS)]
pub(crate) struct LabelArgs {
    /// Labels that become i, the internal action; those of a program are its messages and prints, such as c!3
    #[arg(long, value_name = "PATTERN")]
    hide: Vec<String>,
    /// The only labels that stay visible: all others become i
    #[arg(long, value_name = "PATTERN")]
    hide_all_but: Vec<String>,
    /// Another name, such as 'PUT !(.*)=>in \1'; what is renamed is not hidden
    #[arg(long, value_name = "PATTERN=>NEW")]
    rename: Vec<String>,
}

impl LabelArgs {
    /// As the library takes them.
    pub(crate) fn options(&self) -> LabelOptions {
        let Self { hide, hide_all_but, rename } = self;
        LabelOptions { hide: hide.clone(), hide_all_but: hide_all_but.clone(), rename: rename.clone() }
    }

    /// The rules, if there are any; or all that is wrong with them.
    pub(crate) fn rules(&self) -> Result<Option<Arc<Rules>>, Vec<Message>> {
        self.options().rules()
    }
}
