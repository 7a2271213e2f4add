//! Can a channel grow for ever, and if not, which capacity is enough?
//!
//! ```
//! use elnath::Verdict;
//! use elnath::bounded::Bounded;
//! # let path = std::env::temp_dir().join("elnath-doc-bounded.fifo");
//! # std::fs::write(&path, "channel f of a machine P { 0 -> 0: f!a } machine Q { 0 -> 0: f?a }").unwrap();
//!
//! let loaded = elnath::load(&path, &elnath::LoadOptions::default()).map_err(|_| ()).unwrap();
//! let report = Bounded::of(&loaded).run().unwrap();
//! let Verdict::Fails(flood) = report.verdict() else { panic!("P need not wait for Q") };
//! assert_eq!(flood.growing[0].1[..3], ["", "a", "a^2"]);
//! ```
//!
//! Declared capacities are lifted first, all or some: see [`elnath_boundedness::lift`].

use crate::Loaded;
use crate::driver::{Limits, drive};
use crate::problem::Problem;
use crate::questions::boundedness::Boundedness;
use crate::report::{PropertyReport, Report};
use elnath_kernel::{Counters, Limit, Run, Transition, Verdict, replay};
use elnath_program::Interpreter;
use elnath_program::ir::Program;
use std::sync::Arc;

pub use elnath_boundedness::classes::Class;
pub use elnath_boundedness::lift::Lifted;
pub use elnath_boundedness::theta::{Figures, PairCondition, PairSearch};
pub use elnath_boundedness::view::channel_name;
pub use elnath_boundedness::{Bound, BoundednessAnswer, ChannelAnswer, Flood, PairSearchReport, Reason};

/// A question about the channels of a model, to be asked with [`Bounded::run`].
pub struct Bounded<'a> {
    asked: Boundedness,
    limits: Limits<'a>,
}

/// What [`Bounded`] reports.
pub type BoundedReport = Report<Box<Flood>, BoundednessFigures>;
/// What it reports of its property.
pub type BoundedProperty = PropertyReport<Box<Flood>, BoundednessFigures>;

/// What is known of the channels, and what that took.
pub struct BoundednessFigures {
    /// The program that was walked, without the capacities that were lifted.
    pub system: Arc<Interpreter>,
    /// The channels whose capacities were lifted.
    pub lifted: Vec<Lifted>,
    /// What was asked of a pair of states.
    pub condition: PairCondition,
    /// The seed of everything random.
    pub seed: u64,
    /// Why the channels are bounded, if they are.
    pub reason: Option<Reason>,
    /// What is known of each channel without bound.
    pub channels: Vec<ChannelAnswer>,
    /// The class of the system, if it is one for which unboundedness is decided.
    pub class: Option<Class>,
    /// The searches that were made.
    pub searches: Vec<PairSearchReport>,
}

impl<'a> Bounded<'a> {
    /// The question about a model, with the capacities of all its channels lifted.
    pub fn of(loaded: &Loaded) -> Self {
        Self::about(loaded.program.as_ref().map(|program| program.program().clone()))
    }

    /// The same about a program.
    pub fn of_program(program: Program) -> Self {
        Self::about(Some(program))
    }

    fn about(program: Option<Program>) -> Self {
        let asked = Boundedness {
            program,
            only: None,
            condition: PairCondition::Th93,
            search: None,
            window: 10_000,
            statically: true,
            firings: 500_000,
            seed: 1,
        };
        Self { asked, limits: Limits { memory: 1 << 30, depth: 100_000, ..Limits::default() } }
    }

    /// Lifts the capacities of these channels only.
    #[must_use]
    pub fn channels(mut self, names: &[String]) -> Self {
        self.asked.only = Some(names.to_vec());
        self
    }

    /// What is asked of two states between which something may be repeated.
    #[must_use]
    pub fn condition(mut self, condition: PairCondition) -> Self {
        self.asked.condition = condition;
        self
    }

    /// Makes only this search; by default all are tried.
    #[must_use]
    pub fn search(mut self, search: PairSearch) -> Self {
        self.asked.search = Some(search);
        self
    }

    /// How many of the latest states of a branch a new one is compared with.
    #[must_use]
    pub fn window(mut self, states: usize) -> Self {
        self.asked.window = states;
        self
    }

    /// Does not use the static methods.
    #[must_use]
    pub fn without_static_methods(mut self) -> Self {
        self.asked.statically = false;
        self
    }

    /// The most transitions fired, in all searches together.
    #[must_use]
    pub fn firings(mut self, firings: u64) -> Self {
        self.asked.firings = firings;
        self
    }

    /// The longest branch.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.limits.depth = depth;
        self
    }

    /// Bytes for states.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// The seed of everything random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.asked.seed = seed;
        self
    }

    /// Calls `watch` now and then with the figures of the search that is running; a returned limit stops it.
    #[must_use]
    pub fn watch(self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        Self { limits: self.limits.watched(watch), ..self }
    }

    /// Asks.
    ///
    /// # Errors
    /// That the model has no channels that could be asked about, or not those that were named.
    pub fn run(mut self) -> Result<BoundedReport, Problem> {
        drive(self.asked, &mut self.limits)
    }
}

impl BoundedProperty {
    /// The run that floods, with so many rounds of what is repeated; and the step with which the first round begins.
    pub fn flood_run(&self, rounds: usize) -> Option<(Run, usize)> {
        let Verdict::Fails(flood) = &self.verdict else { return None };
        let again = flood.pumped.rounds.iter().take(rounds).flatten().copied();
        let steps: Vec<Transition> = flood.prefix.iter().copied().chain(again).collect();
        Some((self.figures.replayed(&steps), flood.prefix.len()))
    }
}

impl BoundednessFigures {
    /// The run to where a channel holds the most messages, replayed.
    ///
    /// # Panics
    /// If it is not a run of the system: that would be a bug of ours.
    pub fn peak_run(&self, channel: &ChannelAnswer) -> Run {
        self.replayed(&channel.run)
    }

    fn replayed(&self, steps: &[Transition]) -> Run {
        match replay(&*self.system, steps) {
            Ok(run) => run,
            Err(error) => panic!("{error}; please report this as a bug of elnath"),
        }
    }

    /// How many messages each channel without bound holds in each state of a run; channels that come and go have gaps.
    pub fn lengths(&self, run: &Run) -> Vec<(String, Vec<(usize, usize)>)> {
        let mut curves: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        let mut tables = elnath_program::layout::Tables::default();
        let (layout, program) = (self.system.layout(), self.system.program());
        for (step, state) in run.states.iter().enumerate() {
            tables.read(layout, state);
            for (number, &(at, kind)) in tables.channels.iter().enumerate() {
                if program.channels[kind.index()].capacity != elnath_program::ir::Capacity::Unbounded {
                    continue;
                }
                let name = channel_name(&self.system, state, number);
                let length = elnath_program::layout::read_length(state, at as usize, layout.block(kind));
                match curves.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, points)) => points.push((step, length)),
                    None => curves.push((name, vec![(step, length)])),
                }
            }
        }
        curves
    }
}
