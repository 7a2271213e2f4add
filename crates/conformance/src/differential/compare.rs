//! The two answers side by side.

use super::ours::Ours;
use super::spin::Spin;
use super::{Figures, Kind};
use std::collections::BTreeSet;

/// What the comparison of one model came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// All figures and kinds of errors are the same.
    Same,
    /// The number of errors differs, but an assertion is within a transition of several steps.
    SameButErrors,
    /// SPIN gave up after an error that we report, too.
    SameError,
    /// Both report faults, but not the same ones, and a transition may have several.
    OtherFaults(String),
    /// Nothing to compare: too large, or SPIN does not accept it.
    Skipped(&'static str),
    /// They differ.
    Different(String),
}

/// Compares the answers to one model; `limit` is the number of states after which elnath gave up.
pub fn compare(ours: &Ours, spin: &Spin, limit: u64) -> Comparison {
    match (ours, spin) {
        (Ours::Broken(why), _) => Comparison::Different(why.clone()),
        (_, Spin::Refused(_)) => Comparison::Skipped("refused by SPIN"),
        (Ours::Refused(why), _) => Comparison::Different(format!("refused by elnath: {why}")),
        (Ours::OutOfTime, _) => Comparison::Skipped("out of time"),
        (_, Spin::TooLarge) | (Ours::TooLarge, Spin::Stopped(_)) => Comparison::Skipped("too large"),
        (Ours::TooLarge, Spin::Done(theirs)) => {
            match theirs.states < limit && theirs.kinds.iter().all(|kind| kind.is_harmless()) {
                true => Comparison::Different(format!("too large for elnath, SPIN: {}", shown(theirs))),
                false => Comparison::Skipped("too large"),
            }
        }
        (Ours::Done(ours), Spin::Stopped(kinds)) => same_error(ours, kinds),
        (Ours::Done(ours), Spin::Done(theirs)) => {
            let harmless = |kinds: &BTreeSet<Kind>| kinds.iter().all(|kind| kind.is_harmless());
            let arrival = Figures { transitions: ours.transitions + 1, ..ours.clone() };
            if arrival == *theirs {
                Comparison::Same
            } else if ours.asserts_inside && (Figures { errors: theirs.errors, ..arrival.clone() }) == *theirs
            {
                // We count transitions with an error, SPIN counts every assertion on the way.
                Comparison::SameButErrors
            } else if harmless(&ours.kinds) && harmless(&theirs.kinds) {
                Comparison::Different(format!("elnath: {}; SPIN: {}", shown(&arrival), shown(theirs)))
            } else {
                same_error(ours, &theirs.kinds)
            }
        }
    }
}

/// After an error that is not harmless the searches part: each sees errors the other does not reach. There must be one
/// of those that both report.
fn same_error(ours: &Figures, theirs: &BTreeSet<Kind>) -> Comparison {
    let common = ours.kinds.intersection(theirs).any(|kind| !kind.is_harmless());
    if common {
        Comparison::SameError
    } else if ours.kinds.iter().any(|kind| !kind.is_harmless())
        || ours.has_sequences && ours.kinds.contains(&Kind::Assertion)
    {
        // We tell the first fault of a transition, SPIN all of them, and where it dies of a division, only that; and after
        // one that is not harmless each goes on in another state.
        Comparison::OtherFaults(format!("elnath: {}; SPIN: errors {theirs:?}", shown(ours)))
    } else {
        Comparison::Different(format!("elnath: {}; SPIN: errors {theirs:?}", shown(ours)))
    }
}

fn shown(figures: &Figures) -> String {
    let Figures { states, transitions, errors, kinds, .. } = figures;
    format!("{states} states, {transitions} transitions, {errors} errors {kinds:?}")
}
