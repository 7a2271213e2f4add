//! A counterexample for people.

use super::super::render::SideNames;
use super::Counterexample;
use elnath_kernel::Transition;

/// What the other system does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The last label of the trace.
    Label,
    /// Stopping in a state that offers only these labels.
    Refusal {
        /// What the mover offers at the end of its run, sorted.
        offered: Vec<String>,
        /// What the other system may offer when it is stable, after the same trace: each choice has a label that the mover
        /// does not offer. None at all if it is never stable there.
        allowed: Vec<Vec<String>>,
    },
    /// Being busy inside for ever.
    Divergence {
        /// Internal steps from the end of the run back to it.
        cycle: Vec<Transition>,
    },
}

impl Counterexample {
    /// The counterexample in one sentence.
    pub fn headline(&self, names: SideNames<'_>) -> String {
        let (mover, other) = (names[self.mover], names[1 - self.mover]);
        let done = |labels: &[String]| match labels {
            [] => "at once".to_owned(),
            labels => format!("after {}", shortened(labels)),
        };
        match &self.why {
            Why::Label => {
                let (last, before) = self.trace.split_last().expect("the last label is what is wrong");
                format!("{}, {mover} can do {last}, {other} cannot", done(before))
            }
            Why::Refusal { offered, allowed } => {
                let offers = match offered.as_slice() {
                    [] => "nothing".to_owned(),
                    labels => format!("only {}", shortened(labels)),
                };
                // Of many labels, those that make the difference.
                let offer = |labels: &[String]| {
                    if labels.len() <= MOST {
                        return labels.join(", ");
                    }
                    let (both, missing): (Vec<_>, Vec<_>) =
                        labels.iter().cloned().partition(|label| offered.binary_search(label).is_ok());
                    match both.len() {
                        0 => shortened(&missing),
                        both => format!("{} and {both} more that {mover} offers too", shortened(&missing)),
                    }
                };
                let instead = match allowed.as_slice() {
                    [] => format!("{other} never stops there"),
                    [labels] => format!("{other} offers {}", offer(labels)),
                    choices => {
                        let choices: Vec<String> = choices.iter().map(|labels| offer(labels)).collect();
                        format!("{other} offers {}", shortened_by(&choices, "; or "))
                    }
                };
                format!("{}, {mover} may offer {offers}, where {instead}", done(&self.trace))
            }
            Why::Divergence { .. } => {
                format!("{}, {mover} can be busy inside for ever, {other} cannot", done(&self.trace))
            }
        }
    }

    /// The counterexample step by step, at most so many lines.
    pub fn story(&self, names: SideNames<'_>, most: usize) -> Vec<String> {
        let (mover, other) = (names[self.mover], names[1 - self.mover]);
        let steps = if self.why == Why::Label { &self.labels[..self.labels.len() - 1] } else { &self.labels };
        let mut lines = Vec::new();
        for (at, label) in steps.iter().enumerate() {
            if lines.len() + 2 >= most {
                lines.push(format!("... and {} more steps", steps.len() - at));
                break;
            }
            let both = self.trace.contains(label);
            lines.push(if both {
                format!("{mover} does {label}, and so can {other}")
            } else {
                format!("{mover} does an internal step")
            });
        }
        lines.push(self.headline(names));
        lines
    }
}

/// So many labels are told, of more the first and the last.
const MOST: usize = 12;

/// The first and the last of many.
fn shortened(all: &[String]) -> String {
    shortened_by(all, ", ")
}

fn shortened_by(all: &[String], between: &str) -> String {
    if all.len() <= MOST {
        return all.join(between);
    }
    let (first, last) = (&all[..MOST / 2], &all[all.len() - MOST / 2..]);
    let left_out = all.len() - MOST;
    format!("{}{between}... ({left_out} more) ...{between}{}", first.join(between), last.join(between))
}
