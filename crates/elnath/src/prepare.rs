//! From what a question is about to what is walked: the [reductions](crate::reductions) one after the other, with the engine made
//! once in between; and the ways back.

use crate::asked::Asked;
use crate::problem::Problem;
use crate::reductions::back::{Unfold, WayBack};
use crate::reductions::{Below, Changed, Did, Over, Reduction, Refused, Stage, StageReport, Walked};
use crate::subject::Subject;
use elnath_check::Plan;
use elnath_kernel::{Counters, System};
use elnath_program::Interpreter;
use std::sync::Arc;

/// What is walked instead of what a question is about.
pub(crate) struct Prepared<'a> {
    /// It.
    pub(crate) system: Arc<dyn System + 'a>,
    /// How; a reduction may have chosen another search.
    pub(crate) plan: Plan,
    /// Whether it has other states, transitions or runs.
    pub(crate) is_reduced: bool,
    /// What became of each reduction that is wanted, in the order in which they were applied.
    stages: Vec<Staged<'a>>,
}

struct Staged<'a> {
    reduction: &'static Reduction,
    outcome: Result<Done<'a>, &'static str>,
}

/// A reduction that was applied.
struct Done<'a> {
    back: Option<Box<dyn WayBack<'a> + 'a>>,
    did: Box<dyn Fn(&Counters) -> Did + 'a>,
}

/// Applies the reductions that are wanted and sound for a question.
///
/// # Errors
/// If one of those that [insist](Reduction::insists) cannot be applied.
pub(crate) fn prepare<'a>(
    subject: &Subject<'a>,
    asked: &Asked<'_>,
    mut plan: Plan,
) -> Result<Prepared<'a>, Problem> {
    let program = subject.program().cloned();
    let mut preparing = Preparing { subject, program, system: None, exchanges: false, is_reduced: false };
    let mut stages = Vec::new();
    for reduction in asked.wanted.rows() {
        let sound = (reduction.sound)(asked).map_err(Refused::from);
        let outcome = match sound.and_then(|()| preparing.apply(reduction, asked, &mut plan)) {
            Err(refused) if reduction.insists => return Err(Problem::Reduction(reduction.refusal(refused))),
            other => other.map_err(|refused| refused.why),
        };
        stages.push(Staged { reduction, outcome });
    }
    Ok(Prepared { system: preparing.system(), plan, is_reduced: preparing.is_reduced, stages })
}

/// What is walked, as far as it is known.
struct Preparing<'s, 'a> {
    subject: &'s Subject<'a>,
    /// The program, if it is one.
    program: Option<Arc<Interpreter>>,
    /// The system; not before all programs are changed.
    system: Option<Arc<dyn System + 'a>>,
    exchanges: bool,
    is_reduced: bool,
}

impl<'a> Preparing<'_, 'a> {
    /// The system that is walked; its engine is made if there is none yet.
    fn system(&mut self) -> Arc<dyn System + 'a> {
        let made = || self.subject.walking(&self.program);
        Arc::clone(self.system.get_or_insert_with(made))
    }

    fn apply(
        &mut self,
        reduction: &Reduction,
        asked: &Asked<'_>,
        plan: &mut Plan,
    ) -> Result<Done<'a>, Refused> {
        let no_program = self.subject.no_program();
        match reduction.stage {
            Stage::Program(change) => {
                assert!(self.system.is_none(), "programs are changed before the engine is made");
                let before = self.program.as_ref().ok_or(no_program)?;
                let Changed { program, step_by_step, did } = change(before, asked)?;
                let is_changed = !Arc::ptr_eq(&program, before);
                let back = is_changed.then(|| {
                    let program = Arc::clone(&program);
                    Box::new(Unfold { program, step_by_step }) as Box<dyn WayBack<'a>>
                });
                self.is_reduced |= is_changed;
                self.program = Some(program);
                Ok(Done { back, did: Box::new(move |_| did.clone()) })
            }
            Stage::System(put) => {
                if let Subject::Specification { programmed, engine, compilations, .. } = self.subject {
                    // Its program is walked with less, and labels and faults are those of the specification again.
                    let program = Arc::clone(programmed.interpreter());
                    let (walked, _) = engine.make(&program, compilations);
                    let Over { system, back: None, did, .. } =
                        put(&Below { program, system: walked }, asked)?
                    else {
                        return Err(no_program.into());
                    };
                    self.system = Some(Arc::new(programmed.walked_by(system)));
                    self.is_reduced = true;
                    return Ok(Done { back: None, did: Box::new(move |_| did()) });
                }
                let program = Arc::clone(self.program.as_ref().ok_or(no_program)?);
                let Over { system, back, exchanges, did } =
                    put(&Below { program, system: self.system() }, asked)?;
                self.system = Some(system);
                self.is_reduced = true;
                self.exchanges |= exchanges;
                Ok(Done { back, did: Box::new(move |_| did()) })
            }
            Stage::Search(choose, did) => {
                if let Subject::Observed { .. } = self.subject {
                    // Steps in two orders may lead to one state by other labels.
                    return Err(no_program.into());
                }
                let system = self.system();
                plan.search = choose(&Walked { system: &*system, exchanges: self.exchanges }, plan)?;
                Ok(Done { back: None, did: Box::new(did) })
            }
        }
    }
}

impl<'a> Prepared<'a> {
    /// The ways back to the model as it was written, in the order in which they are to be taken.
    pub(crate) fn ways_back(&self) -> impl Iterator<Item = &(dyn WayBack<'a> + 'a)> {
        let done = self.stages.iter().rev().filter_map(|staged| staged.outcome.as_ref().ok());
        done.filter_map(|done| done.back.as_deref())
    }

    /// Whether a reduction was applied, by its name.
    pub(crate) fn used(&self, name: &str) -> bool {
        self.stages.iter().any(|staged| staged.reduction.name == name && staged.outcome.is_ok())
    }

    /// What became of the reductions, when the walk is over.
    pub(crate) fn reports(&self, counters: &Counters) -> Vec<StageReport> {
        let report = |Staged { reduction, outcome }: &Staged<'a>| StageReport {
            name: reduction.name,
            title: reduction.title,
            outcome: outcome.as_ref().map(|done| (done.did)(counters)).map_err(|why| *why),
        };
        self.stages.iter().map(report).collect()
    }
}
