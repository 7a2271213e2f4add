//! What the runs of the model are, where the question is about something that they lack.

use super::Answered;
use crate::report::PropertyKind;
use elnath_check::temporal::Fairness;
use elnath_kernel::Verdict;
use elnath_program::ir::{Location, Program};
use elnath_source::{Message, codes};

pub(super) fn look(answered: &Answered<'_, '_>, found: &mut Vec<Message>) {
    let Some(temporal) = &answered.property.figures.temporal else { return };
    let holds = matches!(answered.property.verdict, Verdict::Holds(_));
    if holds && !temporal.property.question.faults && !temporal.faults.is_empty() {
        let text = format!("runs that meet a fault were ignored: {}", temporal.faults.join("; "));
        let help = "check without --faults ignore shows a run to it";
        found.push(Message::finding(codes::FAULTS_IGNORED, text, None).help(help));
    }
    let Some(program) = answered.subject.program() else { return };
    let program = program.program();
    if temporal.property.kind == PropertyKind::Acceptance && !has(program, |location| location.accept) {
        let text = "no process has a label that begins with `accept`, so that there is no acceptance cycle";
        found.push(Message::finding(codes::NO_ACCEPT_LABELS, text, None));
    }
    if temporal.property.kind == PropertyKind::Progress && !has(program, |location| location.progress) {
        let text =
            "no process has a label that begins with `progress`, so that every cycle is one without progress";
        found.push(Message::finding(codes::NO_PROGRESS_LABELS, text, None));
    }
    if temporal.property.question.fairness != Fairness::None && is_alone(program) {
        let text = "the model has one process, so that every infinite run is fair: --fair has no effect";
        found.push(Message::finding(codes::FAIRNESS_UNUSED, text, None));
    }
}

fn has(program: &Program, test: impl Fn(&Location) -> bool) -> bool {
    program.processes.iter().any(|process| process.locations.iter().any(&test))
}

/// Whether there is never more than one process: one at the start, and no type but its own that could be run.
fn is_alone(program: &Program) -> bool {
    let text = || elnath_program::text::print(program);
    program.initial.len() <= 1 && program.processes.len() <= 1 && !text().contains("run ")
}
