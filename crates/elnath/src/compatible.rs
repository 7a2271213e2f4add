//! k-multiparty compatibility: which capacity of channels loses no behaviour, is every message received, and does nobody wait for ever?
//!
//! ```
//! use elnath::{Compatible, Verdict};
//! # let path = std::env::temp_dir().join("elnath-doc-compatible.txt");
//! # std::fs::write(&path, "A: B!m; B!m; B?n; end\nB: A!n; A?m; A?m; end\n").unwrap();
//!
//! let loaded = elnath::load(&path, &elnath::LoadOptions::default()).map_err(|_| ()).unwrap();
//! let report = Compatible::of(&loaded).run().unwrap();
//! assert!(matches!(report.verdict(), Verdict::Holds(_)));
//! let figures = &report.first().figures;
//! assert_eq!((figures.decisive().k, figures.scope().name()), (1, "directed"));
//! ```
//!
//! Capacities that the model declares are replaced by k. What is decided, and when that holds of channels without bound, is in
//! [`elnath_compatibility`].

use crate::Loaded;
use crate::driver::{Limits, drive};
use crate::problem::Problem;
use crate::questions::compatibility::Compatibility;
use crate::report::{PropertyReport, Report};
use elnath_kernel::{Counters, Limit, Run};
use std::ops::RangeInclusive;
use std::sync::Arc;

pub use elnath_compatibility::machines::{SessionChannel, SessionMachine, SessionMachines, SessionStep};
pub use elnath_compatibility::{Attempt, Breach, CompatibilityAnswer, Flaw, Guarantee};

/// The greatest capacity that can be asked about.
pub const MOST_K: u32 = u16::MAX as u32;

/// A question about communicating machines, to be asked with [`Compatible::run`].
pub struct Compatible<'a> {
    asked: Compatibility<'a>,
    limits: Limits<'a>,
}

/// What [`Compatible`] reports: first whether sends get room, then about receptions, then about progress.
pub type CompatibleReport = Report<BreachRun, Arc<CompatibilityFigures>>;
/// What it reports of one of these.
pub type CompatibleProperty = PropertyReport<BreachRun, Arc<CompatibilityFigures>>;

/// A run to a state in which something is wrong, replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct BreachRun {
    /// What is wrong.
    pub flaw: Flaw,
    /// The run, of the program with channels of the decisive capacity.
    pub run: Run,
}

/// What was tried.
pub struct CompatibilityFigures {
    /// The machines.
    pub machines: SessionMachines,
    /// Whether every state of every machine uses one channel.
    pub directed: bool,
    /// The capacities that might have been tried.
    pub capacities: RangeInclusive<u32>,
    /// Those that were, and what was found.
    pub answer: CompatibilityAnswer,
}

impl CompatibilityFigures {
    /// The attempt that counts.
    pub fn decisive(&self) -> &Attempt {
        &self.answer.attempts[self.answer.decisive]
    }

    /// For which channels its verdict is one.
    pub fn scope(&self) -> Guarantee {
        self.decisive().scope(self.directed)
    }

    /// The channels with capacities of their own, which are replaced by k.
    pub fn replaced(&self) -> impl Iterator<Item = (&str, u32)> {
        let channels = self.machines.channels.iter();
        channels.filter_map(|channel| Some((channel.name.as_str(), channel.declared?)))
    }
}

impl CompatibleReport {
    /// What is told of an answer: of the demands that fail, the one with the shortest run; else the worst.
    pub fn told(&self) -> &CompatibleProperty {
        let length = |property: &&CompatibleProperty| {
            property.verdict.evidence().map_or(usize::MAX, |breach| breach.run.steps.len())
        };
        let failing = self.properties.iter().filter(|property| property.verdict.evidence().is_some());
        failing.min_by_key(length).unwrap_or_else(|| self.worst())
    }
}

impl<'a> Compatible<'a> {
    /// The question about a model: which capacity from 1 to 10 settles it?
    pub fn of(loaded: &'a Loaded) -> Self {
        let asked = Compatibility { loaded, capacities: 1..=10, memory: 0 };
        Self { asked, limits: Limits { memory: 1 << 30, ..Limits::default() } }
    }

    /// Asks about channels of this capacity only, from 1 to [`MOST_K`].
    #[must_use]
    pub fn k(mut self, k: u32) -> Self {
        let k = k.clamp(1, MOST_K);
        self.asked.capacities = k..=k;
        self
    }

    /// Tries capacities up to this one, from 1 to [`MOST_K`].
    #[must_use]
    pub fn max_k(mut self, most: u32) -> Self {
        self.asked.capacities = 1..=most.clamp(1, MOST_K);
        self
    }

    /// Bytes for the states within one capacity, and what is asked of them.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Calls `watch` now and then with the figures of the walk; a returned limit stops it.
    #[must_use]
    pub fn watch(self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        Self { limits: self.limits.watched(watch), ..self }
    }

    /// Asks.
    ///
    /// # Errors
    /// That the model is not made of session automata, with the places where it departs from them.
    pub fn run(mut self) -> Result<CompatibleReport, Problem> {
        drive(self.asked, &mut self.limits)
    }
}
