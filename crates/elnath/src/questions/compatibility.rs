//! k-multiparty compatibility: does a capacity lose no behaviour, is every message received, does nobody wait for ever?

use crate::Loaded;
use crate::compatible::{BreachRun, CompatibilityFigures, CompatibleProperty, CompatibleReport};
use crate::driver::Question;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use elnath_check::Refusal;
use elnath_compatibility::machines::SessionMachines;
use elnath_compatibility::{Attempt, Breach, CompatibilityAnswer, CompatibilityOptions, Flaw, compatibility};
use elnath_kernel::{Budget, Run, Verdict, replay};
use elnath_program::ir::Program;
use elnath_source::Message;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A question about communicating machines.
pub(crate) struct Compatibility<'a> {
    pub(crate) loaded: &'a Loaded,
    /// The capacities that are tried.
    pub(crate) capacities: RangeInclusive<u32>,
    /// What there is of memory, as far as it is known.
    pub(crate) memory: usize,
}

impl<'a> Question<'a> for Compatibility<'a> {
    type Plan = ();
    type Prepared = (&'a Program, SessionMachines);
    type Answer = CompatibilityAnswer;
    type Report = CompatibleReport;

    /// The memory is for states alone.
    fn bytes(&self) -> usize {
        0
    }

    /// There is one way only.
    fn plan(&self, _: usize, _: bool) -> Result<(), Problem> {
        Ok(())
    }

    fn prepare(&mut self, (): ()) -> Result<Self::Prepared, Problem> {
        // Promela has trails; what it has beyond machines would be refused statement by statement.
        let program = match &self.loaded.program {
            Some(system) if self.loaded.trail.is_none() => system.program(),
            _ => {
                let text = "k-multiparty compatibility is asked about communicating machines only";
                let help =
                    "write the model as machines (.fifo, .fsa) or session types, or ask `elnath check`";
                return Err(Problem::Machines(vec![Message::about_file(text).help(help)]));
            }
        };
        let machines = SessionMachines::of(program).map_err(Problem::Machines)?;
        Ok((program, machines))
    }

    fn walk(
        &mut self,
        (program, machines): &Self::Prepared,
        budget: &mut Budget<'_>,
    ) -> Result<CompatibilityAnswer, Problem> {
        self.memory = budget.memory;
        let mut options = CompatibilityOptions {
            capacities: self.capacities.clone(),
            memory: budget.memory,
            watch: &mut *budget.watch,
        };
        Ok(compatibility(program, machines, &mut options))
    }

    /// The question is about the program with capacities, and that was walked.
    fn map_back(&self, _: &Self::Prepared, _: &mut CompatibilityAnswer) -> Result<(), Problem> {
        Ok(())
    }

    /// Replays every run, and looks whether what is said of its last state is so by walking forwards from there, where there is room for
    /// that: it takes some four times the bytes of a recording, whose bytes are the last to be given back.
    fn confirm(
        &self,
        (_, machines): &Self::Prepared,
        answer: &mut CompatibilityAnswer,
        _: &mut Budget<'_>,
    ) -> Result<(), Problem> {
        for attempt in &answer.attempts {
            for breach in breaches(attempt) {
                let run = replay(&*attempt.system, &breach.steps).map_err(Refusal::from)?;
                let fits = attempt.counters.store_bytes.saturating_mul(4) <= self.memory;
                if fits && !breach.flaw.is_real(&attempt.system, machines, &run) {
                    return Err(Refusal::NO_VIOLATION.into());
                }
            }
        }
        Ok(())
    }

    fn report(self, (_, machines): Self::Prepared, answer: CompatibilityAnswer) -> CompatibleReport {
        let (directed, capacities) = (machines.are_directed(), self.capacities);
        let figures = Arc::new(CompatibilityFigures { machines, directed, capacities, answer });
        let attempt = figures.decisive();
        let k = attempt.k;
        let room = (format!("{k}-exhaustive"), format!("every send gets room within capacity {k}"));
        let received =
            ("eventual reception".to_owned(), "every message that is sent can be received".to_owned());
        let progress = ("progress".to_owned(), "every machine that waits can receive".to_owned());
        let properties = [
            property(room, &attempt.exhaustive, &figures),
            property(received, &attempt.reception, &figures),
            property(progress, &attempt.progress, &figures),
        ];
        let mut reports = properties.into_iter().map(|property| Report::of(property, 0));
        let first = reports.next().expect("there are three");
        reports.fold(first, Report::and)
    }
}

/// All runs of an attempt.
fn breaches(attempt: &Attempt) -> impl Iterator<Item = &Breach> {
    let duties = [&attempt.exhaustive, &attempt.reception, &attempt.progress];
    let conditions = [&attempt.output, &attempt.input].into_iter().flatten();
    duties.into_iter().chain(conditions).filter_map(Verdict::evidence)
}

fn property(
    (name, text): (String, String),
    verdict: &Verdict<Breach>,
    figures: &Arc<CompatibilityFigures>,
) -> CompatibleProperty {
    let verdict = match figures.answer.stopped {
        Some(limit) => Verdict::Unknown(limit),
        None => {
            verdict.as_ref().map(|breach| BreachRun { flaw: breach.flaw, run: replayed(figures, breach) })
        }
    };
    let summary = verdict.evidence().map(|breach| {
        let kind = match breach.flaw {
            Flaw::NoRoom { .. } => "no room",
            Flaw::Orphan { .. } => "orphan",
            Flaw::Stuck { .. } => "stuck",
            Flaw::OutputChoice { .. } | Flaw::InputChoice { .. } => "choice",
        };
        Summary::brief(kind, breach.flaw.text(&figures.machines), breach.run.steps.len())
    });
    let (name, place) = (Some(name), None);
    let kind = PropertyKind::Compatibility;
    PropertyReport { name, kind, text, place, verdict, summary, figures: Arc::clone(figures) }
}

/// A run that was confirmed before.
fn replayed(figures: &CompatibilityFigures, breach: &Breach) -> Run {
    match replay(&*figures.decisive().system, &breach.steps) {
        Ok(run) => run,
        Err(error) => panic!("{error}; please report this as a bug of elnath"),
    }
}
