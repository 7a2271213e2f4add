//! A property whose automaton never made its first step. Where that step is the violation itself, as with `[] p`, staying is what
//! holding means, and there is nothing to tell; nor where an antecedent was told to be never true.

use super::Answered;
use elnath_check::temporal::{Bad, Method};
use elnath_kernel::Verdict;
use elnath_source::{Message, codes};

pub(super) fn look(answered: &Answered<'_, '_>, found: &mut Vec<Message>) {
    let Some(temporal) = &answered.property.figures.temporal else { return };
    let Bad::Automaton(_) = &temporal.property.question.bad else { return };
    let holds = matches!(answered.property.verdict, Verdict::Holds(_));
    let told = found.iter().any(|message| message.code == Some(codes::ANTECEDENT));
    let deterministic = matches!(temporal.method, Method::Deterministic | Method::Nothing);
    if holds
        && answered.complete()
        && temporal.looked.stayed
        && temporal.size.states > 1
        && !temporal.accepts_at_once
        && !deterministic
        && !told
    {
        let text = "the automaton of the bad runs never left its first state: what the property is about never begins";
        found.push(Message::finding(codes::IDLE_AUTOMATON, text, None));
    }
}
