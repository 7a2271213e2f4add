//! Findings: what is to be said about a model, a question or an answer beside the verdict.
//!
//! A verdict can be true and misleading: a formula about a label that does not exist holds, an implication whose antecedent
//! is never true holds, an option for another language changes nothing. Each such kind has a code that never changes
//! ([`elnath_source::codes`]), an explanation in the [index], and a condition under which it is reported. Conditions are facts: "never"
//! is said only after a complete search, of what every reachable state was looked at for.
//!
//! What is found in the text of a model comes with the model ([`crate::Loaded::warnings`]). What is found when the answer is known is
//! gathered here, in one place, from the answer and what it is about: each file below looks for one kind of thing, and [`LOOKS`] is the
//! list of them. [`crate::Report::findings`] has the result.

mod channels;
mod coverage;
mod deny;
mod idle;
pub mod index;
mod options;
mod runs;
mod vacuity;

pub use channels::endless;
pub use deny::{Denied, named};
pub use index::{IndexEntry, explanation, page};

use crate::report::CheckedProperty;
use crate::subject::Subject;
use elnath_kernel::{Coverage, End};
use elnath_source::{Code, Message};

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What, where, and what to do.
    pub message: Message,
    /// The property that it is about, by its name or text, if it is about one.
    pub property: Option<String>,
}

impl Finding {
    /// Which kind of finding it is.
    pub fn code(&self) -> Option<Code> {
        self.message.code
    }
}

impl From<Message> for Finding {
    fn from(message: Message) -> Self {
        Self { message, property: None }
    }
}

/// What can be looked at when an answer is known.
pub(crate) struct Answered<'r, 'a> {
    pub(crate) subject: &'r Subject<'a>,
    pub(crate) property: &'r CheckedProperty<'a>,
    /// Whether the reductions are not the usual ones, so that somebody named them.
    pub(crate) named_reductions: bool,
}

impl Answered<'_, '_> {
    /// Whether everything that can be reached was seen.
    fn complete(&self) -> bool {
        let figures = &self.property.figures;
        figures.end == End::Complete && matches!(figures.coverage, Coverage::Exhaustive)
    }
}

/// What looks for one kind of thing.
type Look = fn(&Answered<'_, '_>, &mut Vec<Message>);

/// All of them, in the order in which their findings are told.
const LOOKS: &[Look] =
    &[vacuity::look, runs::look, coverage::look, channels::look, options::look, idle::look];

/// What is to be said about an answer.
pub(crate) fn about(answered: &Answered<'_, '_>) -> Vec<Finding> {
    let mut messages = Vec::new();
    LOOKS.iter().for_each(|look| look(answered, &mut messages));
    let property = &answered.property;
    let name = property.name.clone().unwrap_or_else(|| property.text.clone());
    messages.into_iter().map(|message| Finding { message, property: Some(name.clone()) }).collect()
}
