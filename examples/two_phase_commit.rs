//! Two-phase commit as a Rust model: a coordinator asks its participants to vote, and tells them the outcome.
//!
//! `cargo run --release --example two_phase_commit -- 6` checks that no two participants ever disagree, with 6 of
//! them; with a second argument `hasty`, participants that voted yes may commit without waiting for the others, and
//! the check shows how that goes wrong.

#![expect(clippy::print_stdout, reason = "it is a program")]

use elnath::{Check, Model, Property, Verdict};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Participant {
    Working,
    VotedYes,
    Committed,
    Aborted,
}
use Participant::{Aborted, Committed, VotedYes, Working};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// What the coordinator has decided: yes, no, or nothing yet.
    decision: Option<bool>,
    participants: Vec<Participant>,
}

#[derive(Debug)]
enum Action {
    VoteYes(usize),
    VoteNo(usize),
    Decide(bool),
    Learn(usize),
    CommitHastily(usize),
}

struct TwoPhaseCommit {
    participants: usize,
    hasty: bool,
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State { decision: None, participants: vec![Working; self.participants] }
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, participant) in state.participants.iter().enumerate() {
            match participant {
                Working => actions.extend([Action::VoteYes(i), Action::VoteNo(i)]),
                VotedYes if state.decision.is_some() => actions.push(Action::Learn(i)),
                VotedYes if self.hasty => actions.push(Action::CommitHastily(i)),
                _ => {}
            }
        }
        if state.decision.is_none() {
            actions.push(Action::Decide(state.participants.iter().all(|&p| p == VotedYes)));
        }
    }

    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = state.clone();
        match *action {
            Action::VoteYes(i) => next.participants[i] = VotedYes,
            Action::VoteNo(i) => next.participants[i] = Aborted,
            Action::Decide(yes) => next.decision = Some(yes),
            Action::Learn(i) => next.participants[i] = if state.decision? { Committed } else { Aborted },
            Action::CommitHastily(i) => next.participants[i] = Committed,
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("all agree", |_, state: &State| {
            !(state.participants.contains(&Committed) && state.participants.contains(&Aborted))
        })]
    }

    fn may_end(&self, state: &State) -> bool {
        state.decision.is_some() && state.participants.iter().all(|p| matches!(p, Committed | Aborted))
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let participants = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(3);
    let model = TwoPhaseCommit { participants, hasty: arguments.next().as_deref() == Some("hasty") };
    let report = Check::model(&model).shortest().run().expect("breadth-first search with the exact store");
    println!(
        "{} states, {} transitions",
        report.first().figures.counters.states,
        report.first().figures.counters.transitions
    );
    match report.verdict() {
        Verdict::Holds(coverage) => println!("holds: all agree, and no one is left waiting ({coverage:?})"),
        Verdict::Fails(_) => {
            println!("fails: {}", report.first().violation_text().unwrap_or_default());
            report.story().iter().for_each(|step| println!("  {step}"));
        }
        Verdict::Unknown(limit) => println!("unknown: out of {}", limit.name()),
    }
}
