//! The reductions, in one visible list: how a check walks less and answers the same.
//!
//! Each is a row of [`REDUCTIONS`] in a file of its own: its name, what it means, for which questions it is sound, what it changes
//! (the program, the system that is walked, or the search), how a run of what is walked becomes one of what was there before, and
//! what it tells in the end. They are applied in the order of the list: programs are changed first, then the engine is
//! made, then systems are put over it. [`crate::prepare`] does that.

pub(crate) mod back;
mod dead;
mod merge;
mod por;
mod sleep;
mod slice;
mod symmetry;

use crate::asked::{Asked, Sound};
use back::WayBack;
use elnath_check::{Plan, SearchPlan};
use elnath_kernel::{Counters, System};
use elnath_program::Interpreter;
use elnath_source::Message;
use std::fmt;
use std::ops::BitOr;
use std::sync::Arc;

/// All reductions, in the order in which they are applied.
pub const REDUCTIONS: &[Reduction] =
    &[slice::SLICE, dead::DEAD, merge::MERGE, por::POR, symmetry::SYMMETRY, sleep::SLEEP];

/// The figures that say that something was left out.
const TELLING: [&str; 2] = ["reduced", "variables"];

/// A way to walk less.
pub struct Reduction {
    /// What it is called on the command line and in JSON.
    pub name: &'static str,
    /// What it is called in the field.
    pub title: &'static str,
    /// What it does, on one line.
    pub meaning: &'static str,
    /// Whether it is used without being asked for.
    pub usual: bool,
    /// Whether a check that cannot use it is refused, rather than made without it: who asks for it expects a model to become many
    /// times smaller, and would wait for the answer to another question.
    pub insists: bool,
    /// For which questions it is sound.
    pub(crate) sound: fn(&Asked<'_>) -> Sound,
    /// What it does.
    pub(crate) stage: Stage,
}

/// What a reduction changes.
pub(crate) enum Stage {
    /// A program, before its engine is made.
    Program(fn(&Arc<Interpreter>, &Asked<'_>) -> Result<Changed, &'static str>),
    /// The system that is walked: a program with its engine.
    System(for<'a> fn(&Below<'a>, &Asked<'_>) -> Result<Over<'a>, Refused>),
    /// The search, which counts what it did.
    Search(fn(&Walked<'_>, &Plan) -> Result<SearchPlan, &'static str>, fn(&Counters) -> Did),
}

/// A program that is walked instead of another.
pub(crate) struct Changed {
    /// It; the same if there was nothing to change.
    pub(crate) program: Arc<Interpreter>,
    /// Whether each of its steps is one of the other, and its cycles need not close there.
    pub(crate) step_by_step: bool,
    /// What was changed.
    pub(crate) did: Did,
}

/// What a reduction of systems is put over.
pub(crate) struct Below<'a> {
    /// The program.
    pub(crate) program: Arc<Interpreter>,
    /// What walks it.
    pub(crate) system: Arc<dyn System + 'a>,
}

/// A system that is walked instead of another.
pub(crate) struct Over<'a> {
    /// It.
    pub(crate) system: Arc<dyn System + 'a>,
    /// How its runs become runs of the other, if they are not.
    pub(crate) back: Option<Box<dyn WayBack<'a> + 'a>>,
    /// Whether processes are exchanged on the way.
    pub(crate) exchanges: bool,
    /// What it did, when the walk is over.
    pub(crate) did: Box<dyn Fn() -> Did + 'a>,
}

/// What is known of the system that is walked.
pub(crate) struct Walked<'p> {
    /// It.
    pub(crate) system: &'p dyn System,
    /// Whether processes are exchanged on the way.
    pub(crate) exchanges: bool,
}

/// Why a reduction could not be made.
pub(crate) struct Refused {
    /// In words that follow "because".
    pub(crate) why: &'static str,
    /// All that is to be told about it, with places, if that is more.
    pub(crate) messages: Vec<Message>,
}

impl From<&'static str> for Refused {
    fn from(why: &'static str) -> Self {
        Refused { why, messages: Vec::new() }
    }
}

impl Reduction {
    /// Why it could not be made, for somebody who insists on it.
    pub(crate) fn refusal(&self, refused: Refused) -> Vec<Message> {
        if refused.messages.is_empty() {
            let text = format!("--reductions {} is not possible: {}", self.name, refused.why);
            return vec![Message::about_file(text)];
        }
        refused.messages
    }
}

/// What a reduction did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Did {
    /// Its figures, by name.
    pub figures: Vec<(&'static str, Figure)>,
    /// The same in words that follow its title; nothing if there is nothing worth telling.
    pub words: Option<String>,
}

/// A figure of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// How many.
    Count(u64),
    /// Which ones, by name.
    Names(Vec<String>),
}

/// What became of a reduction that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageReport {
    /// Its name.
    pub name: &'static str,
    /// What it is called in the field.
    pub title: &'static str,
    /// What it did, or why it was left out, in words that follow "because".
    pub outcome: Result<Did, &'static str>,
}

impl StageReport {
    /// Whether everybody wants to know: what was left out of the search or of the state, and what became of a reduction
    /// that had to be asked for. That statements were merged or variables forgotten is of interest to few, and so is why a
    /// usual reduction was not used.
    pub fn matters(&self) -> bool {
        let usual = REDUCTIONS.iter().any(|reduction| reduction.name == self.name && reduction.usual);
        match &self.outcome {
            Ok(did) => {
                !usual
                    || did
                        .figures
                        .iter()
                        .any(|(name, _)| TELLING.contains(name) && self.count(name) != Some(0))
            }
            Err(_) => !usual,
        }
    }

    /// A figure that it counted, if it was used and has one of this name.
    pub fn count(&self, figure: &str) -> Option<u64> {
        let (_, figure) = self.outcome.as_ref().ok()?.figures.iter().find(|(name, _)| *name == figure)?;
        Some(match figure {
            Figure::Count(count) => *count,
            Figure::Names(names) => names.len() as u64,
        })
    }
}

impl fmt::Display for StageReport {
    /// On one line; nothing if there is nothing worth telling.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok(Did { words: Some(words), .. }) => write!(f, "{}{words}", self.title),
            Ok(Did { words: None, .. }) => Ok(()),
            Err(why) => write!(f, "no {}, because {why}", self.title),
        }
    }
}

/// Which reductions are wanted, each where it is sound.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Reductions(u32);

impl Reductions {
    /// None: every state and transition.
    pub const NONE: Self = Self(0);
    /// Those that nobody has to ask for, since they keep every verdict.
    pub const USUAL: Self = Self::usual();

    const fn usual() -> Self {
        let (mut set, mut row) = (0, 0);
        while row < REDUCTIONS.len() {
            if REDUCTIONS[row].usual {
                set |= 1 << row;
            }
            row += 1;
        }
        Self(set)
    }

    /// These and one more, by its name in [`REDUCTIONS`].
    ///
    /// # Panics
    /// If there is no reduction of this name.
    #[must_use]
    pub fn with(self, name: &str) -> Self {
        Self(self.0 | Self::bit(name))
    }

    /// These without one, by its name.
    ///
    /// # Panics
    /// If there is no reduction of this name.
    #[must_use]
    pub fn without(self, name: &str) -> Self {
        Self(self.0 & !Self::bit(name))
    }

    /// Whether one is among them, by its name.
    ///
    /// # Panics
    /// If there is no reduction of this name.
    pub fn has(self, name: &str) -> bool {
        self.0 & Self::bit(name) != 0
    }

    /// Their rows in the list.
    pub fn rows(self) -> impl Iterator<Item = &'static Reduction> {
        REDUCTIONS.iter().filter(move |reduction| self.has(reduction.name))
    }

    fn bit(name: &str) -> u32 {
        let row = REDUCTIONS.iter().position(|reduction| reduction.name == name);
        1 << row.unwrap_or_else(|| panic!("there is no reduction `{name}`"))
    }
}

impl BitOr for Reductions {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.rows().map(|reduction| reduction.name)).finish()
    }
}
