//! When a check may use symmetry, and what is told if it may not.
//!
//! Somebody who asks for symmetry expects a model to become many times smaller. To leave it out silently would make him wait for
//! the answer to another question than he asked, so a refusal is an error, with every place in the model where a process
//! can be told from others of its kind.

use crate::property::Property;
use crate::reductions::Reduced;
use elnath_check::temporal::{Fairness, Watch};
use elnath_kernel::{Leak, Notices, System};
use elnath_source::{Message, window};
use std::sync::Arc;

/// Why a question about what can be reached is not the same with symmetry.
pub(crate) fn of_reachability(all: bool, finite: bool) -> Option<&'static str> {
    if all {
        return Some("all errors are to be counted");
    }
    finite.then_some("the formula is about finite runs")
}

/// Why a question about infinite runs is not the same with symmetry.
pub(crate) fn of_property(property: &Property, shortest: bool) -> Option<&'static str> {
    if property.question.fairness != Fairness::None {
        return Some("fairness tells processes apart");
    }
    // A cycle of the quotient may have to be followed several times before it closes.
    shortest.then_some("a shortest run is wanted")
}

/// What a property may notice.
pub(crate) fn noticed_by(property: &Property) -> Notices {
    let is_action = |watch: &Watch| matches!(watch, Watch::Action(_));
    Notices {
        every_step: !property.stutter_invariant || property.question.watches.iter().any(is_action),
        past_faults: !property.question.faults,
    }
}

/// The quotient of a system, reduced or not, unless there is a reason not to take it. Where numbers of processes are
/// exchanged, the system is not reduced otherwise.
pub(crate) fn quotient<'a>(
    system: &Arc<dyn System + 'a>,
    reduced: &mut Option<Reduced<'a>>,
    why_not: Option<&str>,
    notices: Notices,
) -> Result<Arc<dyn System + 'a>, Vec<Message>> {
    if let Some(why) = why_not {
        return Err(vec![Message::about_file(format!("--reductions symmetry is not possible: {why}"))]);
    }
    let quotient = Arc::clone(system).quotient(notices).map_err(|leaks| told(&leaks))?;
    match reduced {
        Some(Ok(_)) if quotient.exchanges().is_some_and(|exchanges| exchanges.numbers) => {
            *reduced = Some(Err("symmetry exchanges numbers of processes, on which it depends"));
            Ok(quotient)
        }
        Some(Ok(reduced)) => Arc::clone(reduced).quotient(notices).map_err(|leaks| told(&leaks)),
        _ => Ok(quotient),
    }
}

/// All leaks, and once what would make them none.
fn told(leaks: &[Leak]) -> Vec<Message> {
    let mut messages: Vec<Message> = leaks.iter().map(message).collect();
    if let Some(last) = messages.pop() {
        messages.push(last.help(
            "a variable or message that ever holds the number of a process (`_pid`, what `run` returns) must hold nothing else; \
             such numbers may be stored, sent, compared for equality with each other, and used as an index",
        ));
    }
    messages
}

/// A leak with its place in the model, as far as the file is still there to show it.
fn message(leak: &Leak) -> Message {
    let text = format!("--reductions symmetry is not possible: {}", leak.text);
    let Some((file, line)) = &leak.place else { return Message::about_file(text) };
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let shown = source.lines().nth(*line as usize - 1).unwrap_or_default();
    let start = find_word(shown, &leak.mark);
    let (start, end) = match start {
        Some(start) => (start, start + leak.mark.len()),
        None => (shown.len() - shown.trim_start().len(), shown.trim_end().len()),
    };
    Message::error(text, window(file, u64::from(*line), shown, start, end.max(start)))
        .label("this tells processes of one kind apart")
}

/// Where a name stands in a line, and not as a part of another.
fn find_word(line: &str, word: &str) -> Option<usize> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let alone = |&(at, _): &(usize, &str)| {
        !part(line[..at].chars().next_back()) && !part(line[at + word.len()..].chars().next())
    };
    line.match_indices(word).filter(|_| !word.is_empty()).find(alone).map(|(at, _)| at)
}
