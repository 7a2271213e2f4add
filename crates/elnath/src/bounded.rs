//! Can a channel grow for ever, and if not, which capacity is enough?
//!
//! ```
//! use elnath::Verdict;
//! use elnath::bounded::{Bounded, Options};
//! # let path = std::env::temp_dir().join("elnath-doc-bounded.fifo");
//! # std::fs::write(&path, "channel f of a machine P { 0 -> 0: f!a } machine Q { 0 -> 0: f?a }").unwrap();
//!
//! let loaded = elnath::load(&path, &elnath::LoadOptions::default()).map_err(|_| ()).unwrap();
//! let question = Bounded::of(&loaded, None).unwrap();
//! let report = question.ask(&mut Options::new(&mut |_| None));
//! let Verdict::Fails(flood) = &report.answer.verdict else { panic!("P need not wait for Q") };
//! assert_eq!(flood.growing[0].1[..3], ["", "a", "a^2"]);
//! ```
//!
//! Declared capacities are lifted first, all or some: see [`lift`].

use crate::Loaded;
use elnath_boundedness::{self as boundedness, boundedness, lift};
use elnath_kernel::{Run, Transition, Verdict, Watch, replay};
use elnath_program::Interpreter;
use elnath_program::ir::Program;
use elnath_source::Message;
use std::sync::Arc;

pub use elnath_boundedness::classes::Class;
pub use elnath_boundedness::lift::Lifted;
pub use elnath_boundedness::theta::{Figures, PairCondition, PairSearch};
pub use elnath_boundedness::view::channel_name;
pub use elnath_boundedness::{Bound, BoundednessAnswer, ChannelAnswer, Flood, PairSearchReport, Reason};

/// The question, for one model.
pub struct Bounded {
    system: Arc<Interpreter>,
    lifted: Vec<Lifted>,
}

/// How it is asked, and what the answer may cost.
pub struct Options<'a>(pub boundedness::BoundednessOptions<'a>);

impl<'a> Options<'a> {
    /// The usual way, with a `watch` that is called now and then and may stop the search.
    pub fn new(watch: &'a mut Watch<'a>) -> Self {
        Self(boundedness::BoundednessOptions {
            relation: PairCondition::Th93,
            search: None,
            window: 10_000,
            statically: true,
            depth: 100_000,
            firings: 500_000,
            memory: 1 << 30,
            seed: 1,
            watch,
        })
    }
}

/// The answer, and what is needed to tell it.
pub struct BoundedReport {
    /// The answer.
    pub answer: BoundednessAnswer,
    /// The channels whose capacities were lifted.
    pub lifted: Vec<Lifted>,
    /// The program that was walked.
    pub system: Arc<Interpreter>,
}

impl Bounded {
    /// The question about a model, with the capacities of these channels lifted, or of all.
    ///
    /// # Errors
    /// That the model has no channels that could be asked about, or not those that were named.
    pub fn of(loaded: &Loaded, only: Option<&[String]>) -> Result<Self, Vec<Message>> {
        let Some(program) = &loaded.program else {
            return Err(vec![Message::about_file(
                "a graph of labelled transitions has no channels to ask about",
            )]);
        };
        Self::of_program(program.program().clone(), only)
    }

    /// The same about a program.
    ///
    /// # Errors
    /// That it has no channels of these names.
    pub fn of_program(mut program: Program, only: Option<&[String]>) -> Result<Self, Vec<Message>> {
        let lifted = lift::lift(&mut program, only)?;
        let system = Interpreter::new(program).map_err(|fault| {
            vec![Message::about_file(format!("{} while the initial state is made", fault.cause.text()))]
        })?;
        // What happens on channels on two ways to the same state may be different.
        Ok(Self { system: Arc::new(system.keeping_all_ways()), lifted })
    }

    /// Answers it.
    pub fn ask(&self, options: &mut Options<'_>) -> BoundedReport {
        let answer = boundedness(&self.system, &mut options.0);
        BoundedReport { answer, lifted: self.lifted.clone(), system: Arc::clone(&self.system) }
    }
}

impl BoundedReport {
    /// The run that floods, with so many rounds of what is repeated, replayed; and the step with which the first round
    /// begins.
    ///
    /// # Panics
    /// If the run is not one of the system, or does not lead where it should: that would be a bug of ours.
    pub fn flood_run(&self, rounds: usize) -> Option<(Run, usize)> {
        let Verdict::Fails(flood) = &self.answer.verdict else { return None };
        let pumped = &flood.pumped;
        let again = pumped.rounds.iter().take(rounds).flatten().copied();
        let steps: Vec<Transition> = flood.prefix.iter().copied().chain(again).collect();
        let run = self.replayed(&steps);
        let mut at = flood.prefix.len();
        assert_eq!(run.states[at], pumped.states[0], "the repetition begins where it was found");
        for (round, state) in pumped.rounds.iter().take(rounds).zip(&pumped.states[1..]) {
            at += round.len();
            assert_eq!(run.states[at], *state, "a round leads where it led");
        }
        Some((run, flood.prefix.len()))
    }

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
