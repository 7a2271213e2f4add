//! Can a channel grow for ever: random communicating machines against a naive explorer, the relations against their
//! definitions, and an independent program where it is at hand.

mod explored;
mod independent;
mod machines;
mod relations;

use super::Part;
use elnath_boundedness::view::{Fifos, Parts};
use elnath_cfsm::network::Network;
use elnath_cfsm::{Options as Reading, lower};
use elnath_program::Interpreter;
use elnath_program::layout::{LOCATION, Tables};
use machines::Global;
pub(super) use machines::show;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "explored",
        meaning: "random machines, random ways to ask: an unbounded run pumps, a bounded state space closes, bounds hold",
        run: explored::explored,
    },
    Part {
        name: "relations",
        meaning: "the relations on streams against their definitions on words, and against what can be repeated",
        run: relations::relations,
    },
    Part {
        name: "independent",
        meaning: "random machines against a program that was written apart from ours (`oracles` beside the corpus)",
        run: independent::independent,
    },
];

fn interpreter(network: &Network) -> Interpreter {
    let program = lower(network, Reading::default()).expect("a small network");
    Interpreter::new(program).expect("an initial state").keeping_all_ways()
}

/// The state that the naive explorer would call this one.
fn global(system: &Interpreter, fifos: &mut dyn Fifos, state: &[u8]) -> Global {
    let mut tables = Tables::default();
    tables.read(system.layout(), state);
    let at = tables.processes.iter().map(|&at| state[at as usize + LOCATION] as usize).collect();
    let mut parts = Parts::default();
    fifos.split(state, &mut parts);
    // The values of letters begin with 1.
    let contents =
        parts.contents.iter().map(|content| content.iter().map(|&letter| letter as u32 - 1).collect());
    (at, contents.collect())
}
