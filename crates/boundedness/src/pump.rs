//! Doing it: the sequence of a pair is fired again, round after round, before anybody is told that it can be.
//!
//! For machines whose transitions only take and send, a pair of th93 is a proof (unbounded-fifo-channels-1990, theorem 3).
//! Programs see more: a receive of higher priority may take over in the middle of the sequence, an `else` may close, a
//! timeout may not come. The report's own extension for Estelle (4.3.2) asks that the delays be the same in both states
//! and every transition that was firable still be firable: D(S) = D(S') and F(S) a subset of F(S'). That is not enough
//! (tests/cases/cfsm/priority-false-alarm.fifo), since it looks at the ends of the sequence only. The repair is to replay
//! it under the full semantics: everything that can be seen of a growing channel is its first L messages, each round adds
//! at least one, so that after L further rounds every step sees what it saw in the round before, and so on for ever. D(S)
//! is part of the control, which is equal; F(S) is not needed.
//!
//! A transition's number may mean something else in another state (the third way through an atomic sequence), so a step
//! is recognised by what it does: the control it leads to, and what it takes and puts.

use crate::view::{Effect, Fifos, Letter, Parts, Traffic};
use elnath_kernel::Transition;

/// A sequence that was fired again and again.
#[derive(Clone, Debug)]
pub struct Pumped {
    /// The transitions of each round.
    pub rounds: Vec<Vec<Transition>>,
    /// The state before the first round, and after each.
    pub states: Vec<Vec<u8>>,
    /// The contents there.
    pub contents: Vec<Vec<Vec<Letter>>>,
    /// The channels that grow.
    pub growing: Vec<usize>,
}

/// How many rounds are shown, at least.
const SHOWN: usize = 3;

/// Fires `w` from `state` so often that it can be fired for ever; `None` if it cannot, or if `go_on`, which is asked before
/// each step, says no.
pub fn pump(
    fifos: &mut dyn Fifos,
    state: &[u8],
    w: &[Transition],
    go_on: &mut dyn FnMut(&dyn Fifos) -> bool,
) -> Option<Pumped> {
    let first = once(fifos, state, w, go_on)?;
    // What is taken within a step is looked at by it, and what comes next too.
    let taken = |step: &Step| step.traffic.iter().filter(|event| event.sent.is_none()).count();
    let ahead = fifos.ahead() + first.steps.iter().map(taken).max().unwrap_or(0);
    pump_rounds(fifos, state, w, (ahead + 1).max(SHOWN), go_on)
}

/// Fires `w` from `state` so many times; `None` if it cannot be, or nothing grows, or not as it should.
pub fn pump_rounds(
    fifos: &mut dyn Fifos,
    state: &[u8],
    w: &[Transition],
    rounds: usize,
    go_on: &mut dyn FnMut(&dyn Fifos) -> bool,
) -> Option<Pumped> {
    let first = once(fifos, state, w, go_on)?;
    let mut parts = Parts::default();
    fifos.split(state, &mut parts);
    let mut pumped = Pumped {
        rounds: vec![w.to_vec()],
        states: vec![state.to_vec(), first.end.clone()],
        contents: vec![parts.contents.clone()],
        growing: Vec::new(),
    };
    let control = std::mem::take(&mut parts.control);
    fifos.split(&first.end, &mut parts);
    pumped.growing = growing(&pumped.contents[0], &parts.contents)?;
    if control != parts.control || pumped.growing.is_empty() {
        return None;
    }
    pumped.contents.push(parts.contents.clone());
    for _ in 1..rounds {
        let from = pumped.states[pumped.states.len() - 1].clone();
        let (transitions, end) = again(fifos, &from, &first.steps, go_on)?;
        fifos.split(&end, &mut parts);
        let before = &pumped.contents[pumped.contents.len() - 1];
        if growing(before, &parts.contents).as_ref() != Some(&pumped.growing) {
            return None;
        }
        pumped.rounds.push(transitions);
        pumped.contents.push(parts.contents.clone());
        pumped.states.push(end);
    }
    Some(pumped)
}

/// What a step of the first round did.
struct Step {
    transition: Transition,
    control: Vec<u8>,
    traffic: Vec<Traffic>,
}

struct Once {
    steps: Vec<Step>,
    end: Vec<u8>,
}

fn once(
    fifos: &mut dyn Fifos,
    state: &[u8],
    w: &[Transition],
    go_on: &mut dyn FnMut(&dyn Fifos) -> bool,
) -> Option<Once> {
    let (mut at, mut next) = (state.to_vec(), Vec::new());
    let (mut effect, mut parts, mut enabled) = (Effect::default(), Parts::default(), Vec::new());
    let mut steps = Vec::with_capacity(w.len());
    for &transition in w {
        if !go_on(fifos) {
            return None;
        }
        fifos.enabled(&at, &mut enabled);
        if !enabled.contains(&transition) || fifos.fire(&at, transition, &mut next, &mut effect).is_err() {
            return None;
        }
        fifos.split(&next, &mut parts);
        steps.push(Step { transition, control: parts.control.clone(), traffic: effect.traffic.clone() });
        std::mem::swap(&mut at, &mut next);
    }
    Some(Once { steps, end: at })
}

/// One more round: transitions that do what those of the first did.
fn again(
    fifos: &mut dyn Fifos,
    from: &[u8],
    steps: &[Step],
    go_on: &mut dyn FnMut(&dyn Fifos) -> bool,
) -> Option<(Vec<Transition>, Vec<u8>)> {
    let (mut at, mut next) = (from.to_vec(), Vec::new());
    let (mut effect, mut parts, mut enabled) = (Effect::default(), Parts::default(), Vec::new());
    let mut transitions = Vec::with_capacity(steps.len());
    for step in steps {
        if !go_on(fifos) {
            return None;
        }
        fifos.enabled(&at, &mut enabled);
        // The same number first: it is nearly always the one.
        let order = enabled.iter().copied().filter(|&t| t == step.transition);
        let others = enabled.iter().copied().filter(|&t| t != step.transition);
        let found = order.chain(others).find(|&t| {
            fifos.fire(&at, t, &mut next, &mut effect).is_ok() && effect.traffic == step.traffic && {
                fifos.split(&next, &mut parts);
                parts.control == step.control
            }
        })?;
        transitions.push(found);
        std::mem::swap(&mut at, &mut next);
    }
    Some((transitions, at))
}

/// The channels whose content is longer, if every content of before is a prefix of that after; else `None`.
#[doc(alias = "Strict")]
pub fn growing(before: &[Vec<Letter>], after: &[Vec<Letter>]) -> Option<Vec<usize>> {
    if before.len() != after.len()
        || !before.iter().zip(after).all(|(before, after)| after.starts_with(before))
    {
        return None;
    }
    let longer = |channel: &usize| after[*channel].len() > before[*channel].len();
    Some((0..before.len()).filter(longer).collect())
}

/// The report's extension (4.3.2): every transition that is firable in `before` is in `after`, too. Kept to show that it is
/// not enough; transitions are compared by their numbers.
#[doc(alias = "F(S)")]
pub fn firable_included(fifos: &mut dyn Fifos, before: &[u8], after: &[u8]) -> bool {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    fifos.enabled(before, &mut first);
    fifos.enabled(after, &mut second);
    first.iter().all(|t| second.contains(t))
}
