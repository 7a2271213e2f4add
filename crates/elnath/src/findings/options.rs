//! Choices that made no difference.

use super::Answered;
use elnath_check::temporal::Fairness;
use elnath_source::{Message, codes};

pub(super) fn look(answered: &Answered<'_, '_>, found: &mut Vec<Message>) {
    let figures = &answered.property.figures;
    if let (Some(wanted), Some(why)) = (figures.choice.threads, figures.one_worker())
        && wanted > 1
    {
        let text = format!("one thread searched instead of {wanted}, because {why}");
        found.push(Message::finding(codes::ONE_WORKER, text, None));
    }
    if answered.named_reductions {
        for stage in &figures.stages {
            if let Err(why) = stage.outcome {
                let text = format!("the reduction `{}` was not used, because {why}", stage.name);
                found.push(Message::finding(codes::REDUCTION_UNUSED, text, None));
            }
        }
    }
    let fair = figures.temporal.as_ref().map(|temporal| temporal.property.question.fairness);
    if fair.is_some_and(|fairness| fairness != Fairness::None)
        && answered.subject.as_written().stepper().processes().is_none()
    {
        let text = "--fair has no effect: the model has no processes that could be passed over";
        found.push(Message::finding(codes::NO_EFFECT, text, None));
    }
}
