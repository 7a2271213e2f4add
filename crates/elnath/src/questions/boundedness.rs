//! Boundedness: can a channel grow for ever?

use crate::bounded::{BoundedReport, BoundednessFigures};
use crate::driver::Question;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use elnath_boundedness::lift::{self, Lifted};
use elnath_boundedness::theta::{PairCondition, PairSearch};
use elnath_boundedness::{BoundednessAnswer, BoundednessOptions, Flood, boundedness};
use elnath_kernel::{Budget, Transition, replay};
use elnath_program::Interpreter;
use elnath_program::ir::Program;
use elnath_source::Message;
use std::sync::Arc;

/// A question about the channels of a program.
pub(crate) struct Boundedness {
    /// The program; a graph has none.
    pub(crate) program: Option<Program>,
    /// The channels whose capacities are lifted; all, if none is named.
    pub(crate) only: Option<Vec<String>>,
    pub(crate) condition: PairCondition,
    pub(crate) search: Option<PairSearch>,
    pub(crate) window: usize,
    pub(crate) statically: bool,
    pub(crate) firings: u64,
    pub(crate) seed: u64,
}

/// A program without the capacities that were lifted.
pub(crate) struct Unlimited {
    system: Arc<Interpreter>,
    lifted: Vec<Lifted>,
}

impl<'a> Question<'a> for Boundedness {
    type Plan = ();
    type Prepared = Unlimited;
    type Answer = BoundednessAnswer;
    type Report = BoundedReport;

    /// The memory is for states alone.
    fn bytes(&self) -> usize {
        0
    }

    /// Which searches are made depends on what the static methods find out.
    fn plan(&self, _: usize, _: bool) -> Result<(), Problem> {
        Ok(())
    }

    fn prepare(&mut self, (): ()) -> Result<Unlimited, Problem> {
        let wrong = |text: String| Problem::Channels(vec![Message::about_file(text)]);
        let program = self.program.take();
        let mut program = program.ok_or_else(|| {
            wrong(
                "a model of labelled transitions (a graph, a network or LOTOS) has no channels to ask about: its parts act together, and nothing is kept between them"
                    .to_owned(),
            )
        })?;
        let lifted = lift::lift(&mut program, self.only.as_deref()).map_err(Problem::Channels)?;
        let system = Interpreter::new(program)
            .map_err(|fault| wrong(format!("{} while the initial state is made", fault.cause.text())))?;
        // What happens on channels on two ways to the same state may be different.
        Ok(Unlimited { system: Arc::new(system.keeping_all_ways()), lifted })
    }

    fn walk(&mut self, prepared: &Unlimited, budget: &mut Budget<'_>) -> Result<BoundednessAnswer, Problem> {
        let mut options = BoundednessOptions {
            relation: self.condition,
            search: self.search,
            window: self.window,
            statically: self.statically,
            depth: budget.depth,
            firings: self.firings,
            memory: budget.memory,
            seed: self.seed,
            watch: &mut *budget.watch,
        };
        Ok(boundedness(&prepared.system, &mut options))
    }

    /// The question is about the program without capacities, and that was walked.
    fn map_back(&self, _: &Unlimited, _: &mut BoundednessAnswer) -> Result<(), Problem> {
        Ok(())
    }

    fn confirm(
        &self,
        prepared: &Unlimited,
        answer: &mut BoundednessAnswer,
        _: &mut Budget<'_>,
    ) -> Result<(), Problem> {
        if let Some(flood) = answer.verdict.evidence() {
            replay_flood(&prepared.system, flood)?;
        }
        Ok(())
    }

    fn report(self, prepared: Unlimited, answer: BoundednessAnswer) -> BoundedReport {
        let BoundednessAnswer { verdict, reason, channels, class, stages } = answer;
        let summary = verdict.evidence().map(|flood| Summary {
            loop_start: Some(flood.prefix.len()),
            ..Summary::brief("flood", flood_text(flood), flood.prefix.len() + flood.pumped.rounds[0].len())
        });
        let Unlimited { system, lifted } = prepared;
        let figures = BoundednessFigures {
            system,
            lifted,
            condition: self.condition,
            seed: self.seed,
            reason,
            channels,
            class,
            searches: stages,
        };
        let (name, kind, place) = (None, PropertyKind::Boundedness, None);
        let text = "no channel grows for ever".to_owned();
        Report::of(PropertyReport { name, kind, text, place, verdict, summary, figures }, 0)
    }
}

/// What floods, in a sentence.
fn flood_text(flood: &Flood) -> String {
    use crate::words::plural;
    let names: Vec<String> = flood.growing.iter().map(|(name, _)| format!("`{name}`")).collect();
    let grow = if names.len() == 1 { "grows" } else { "grow" };
    format!(
        "{} {grow} for ever: after {}, {} can be repeated without end",
        names.join(" and "),
        plural(flood.prefix.len() as u64, "step"),
        plural(flood.pumped.rounds[0].len() as u64, "step"),
    )
}

/// Replays all rounds that were tried: each begins where the one before it has led.
fn replay_flood(system: &Interpreter, flood: &Flood) -> Result<(), Problem> {
    let rounds = flood.pumped.rounds.iter().flatten();
    let steps: Vec<Transition> = flood.prefix.iter().chain(rounds).copied().collect();
    let run = replay(system, &steps).map_err(elnath_check::Refusal::from)?;
    let ends = flood.pumped.rounds.iter().scan(flood.prefix.len(), |at, round| {
        *at += round.len();
        Some(*at)
    });
    let mut met = [flood.prefix.len()].into_iter().chain(ends).zip(&flood.pumped.states);
    if met.all(|(at, state)| run.states[at] == *state) {
        Ok(())
    } else {
        Err(elnath_check::Refusal::NO_VIOLATION.into())
    }
}
