//! The connect-disconnect protocol of the papers as a Rust model: A opens and closes a connection by messages to B,
//! and B may disconnect at any time. The channel from A to B holds at most n messages.
//!
//! ```text
//! A: 0 -!open-> 1    1 -!close-> 0    1 -?disconnect-> 0
//! B: 0 -?open-> 1    1 -?close-> 0    1 -!disconnect-> 0
//! ```
//!
//! `cargo run --release --example connect_disconnect -- 20` prints its figures for n = 1..20; with `--aut 20` it writes
//! the graph for n = 20 as an .aut file, for `elnath check`.

#![expect(clippy::print_stdout, reason = "it is a program")]

use elnath::lts::{Builder, Lts, aut};
use elnath::{Check, Model};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Message {
    Open,
    Close,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    a_connected: bool,
    b_connected: bool,
    to_b: Vec<Message>,
    disconnects: u32,
}

#[derive(Debug, Clone, Copy)]
enum Action {
    AOpens,
    ACloses,
    AIsDisconnected,
    BReceives,
    BDisconnects,
}

struct ConnectDisconnect {
    capacity: usize,
}

impl Model for ConnectDisconnect {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State { a_connected: false, b_connected: false, to_b: Vec::new(), disconnects: 0 }
    }

    fn actions(&self, _: &State, actions: &mut Vec<Action>) {
        use Action::{ACloses, AIsDisconnected, AOpens, BDisconnects, BReceives};
        actions.extend([AOpens, ACloses, AIsDisconnected, BReceives, BDisconnects]);
    }

    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = state.clone();
        let room = state.to_b.len() < self.capacity;
        match action {
            Action::AOpens if !state.a_connected && room => {
                next.to_b.push(Message::Open);
                next.a_connected = true;
            }
            Action::ACloses if state.a_connected && room => {
                next.to_b.push(Message::Close);
                next.a_connected = false;
            }
            Action::AIsDisconnected if state.a_connected && state.disconnects > 0 => {
                next.disconnects -= 1;
                next.a_connected = false;
            }
            // B waits for open when it is not connected, and for close when it is.
            Action::BReceives if (*state.to_b.first()? == Message::Close) == state.b_connected => {
                next.to_b.remove(0);
                next.b_connected = !state.b_connected;
            }
            Action::BDisconnects if state.b_connected => {
                next.disconnects += 1;
                next.b_connected = false;
            }
            _ => return None,
        }
        Some(next)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--aut", n] => write_aut(n.parse().expect("a number")),
        [n] => print_figures(n.parse().expect("a number")),
        _ => print_figures(20),
    }
}

fn print_figures(most: usize) {
    println!("  n  states  transitions  deadlocks");
    for capacity in 1..=most {
        let model = ConnectDisconnect { capacity };
        let report = Check::model(&model).all_errors().run().expect("the default plan");
        let (states, transitions) =
            (report.first().figures.counters.states, report.first().figures.counters.transitions);
        println!(
            "{capacity:>3} {states:>7} {transitions:>12} {:>10}",
            report.first().figures.errors.deadlocks
        );
    }
}

fn write_aut(capacity: usize) {
    let out = std::io::stdout().lock();
    aut::write(&graph(capacity), aut::Dialect::Cadp, out).expect("standard output can be written");
}

/// The reachable graph, the states numbered as they are met.
pub(crate) fn graph(capacity: usize) -> Lts {
    let model = ConnectDisconnect { capacity };
    let key = |state: &State| format!("{state:?}");
    let mut builder = Builder::new();
    let mut numbers = HashMap::from([(key(&model.initial()), 0)]);
    let mut queue = std::collections::VecDeque::from([model.initial()]);
    while let Some(state) = queue.pop_front() {
        let from = numbers[&key(&state)];
        let mut actions = Vec::new();
        model.actions(&state, &mut actions);
        for action in actions {
            let Some(next) = model.next(&state, &action) else { continue };
            let fresh = numbers.len() as u32;
            let to = *numbers.entry(key(&next)).or_insert_with(|| {
                queue.push_back(next.clone());
                fresh
            });
            builder.add(from, &format!("{action:?}"), to);
        }
    }
    builder.finish(0)
}
