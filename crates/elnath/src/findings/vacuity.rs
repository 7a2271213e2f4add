//! Properties that hold, or fail, for another reason than the one their author has in mind.

use super::Answered;
use crate::property::Antecedent;
use elnath_check::temporal::{Looked, Method};
use elnath_kernel::Verdict;
use elnath_source::{Message, codes};

pub(super) fn look(answered: &Answered<'_, '_>, found: &mut Vec<Message>) {
    if answered.property.is_vacuous() {
        let text = "no run of this model ends, so that the formula was asked about none";
        let help = "--finite prefix asks about every finite computation";
        found.push(Message::finding(codes::NO_RUN_ENDS, text, None).help(help));
    }
    let Some(temporal) = &answered.property.figures.temporal else { return };
    let holds = matches!(answered.property.verdict, Verdict::Holds(_));
    if temporal.method == Method::Nothing {
        let text = format!("`{}` is true of every run of every model", temporal.property.text);
        found.push(Message::finding(codes::ALWAYS_TRUE, text, None));
        return;
    }
    if temporal.property.facts.contradictory {
        let text = format!("`{}` is false of every run of every model", temporal.property.text);
        found.push(Message::finding(codes::NEVER_TRUE, text, None));
        return;
    }
    if !holds || !answered.complete() || temporal.method == Method::Deterministic {
        return;
    }
    let idle = temporal
        .property
        .facts
        .antecedents
        .iter()
        .filter(|condition| never_true(condition, &temporal.looked));
    for Antecedent { text, .. } in idle {
        let text = bare(text);
        let told = format!(
            "`{text}` is false wherever the formula looks at it, so that the implication holds whatever follows from it"
        );
        let help =
            format!("check the condition; if its absence is what you want to know, ask for [] !({text})");
        found.push(Message::finding(codes::ANTECEDENT, told, None).help(help));
    }
}

/// Whether no letter that the automaton read satisfies a condition.
fn never_true(condition: &Antecedent, looked: &Looked) -> bool {
    match (condition.letters, looked.letters, condition.proposition) {
        (Some(meant), Some(read), _) => meant & read == 0,
        (_, _, Some(proposition)) => looked.true_ones >> proposition & 1 == 0,
        _ => false,
    }
}

/// A text without the parentheses around all of it.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0;
    let closes_early = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { inner }
}
