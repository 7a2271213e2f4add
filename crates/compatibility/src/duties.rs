//! What k-multiparty compatibility demands of every state within capacity k (Lange, Yoshida 2019, definitions 4 and 9).
//!
//! *k-exhaustive*: where a machine may send something, a run in which it does not move leads to where that has room. *k-safe* is two
//! things: *eventual reception*, the first message of a channel is received on some run; and *progress*, a machine that waits for messages
//! receives one on some run. Each demand is one question "from which states can this be reached?" for each send, channel or machine,
//! and one walk backwards answers it for all states. The first state that is not among them is the one with the shortest run.
//!
//! Of eventual reception the definition asks for the reception of the very message. The first reception from that channel is the one,
//! so that one walk for each channel will do. Likewise for progress: what moves a waiting machine is a reception.

use crate::conditions::Found;
use crate::flaw::Flaw;
use crate::graph::CapacityGraph;
use crate::machines::SessionMachines;
use elnath_kernel::{Limit, Watch};

/// Whether some send was ever without room: if none was, then the walk has seen the system without bounds.
pub(crate) fn is_ever_full(graph: &CapacityGraph, machines: &SessionMachines) -> bool {
    let mut state = Vec::new();
    (0..graph.len()).any(|number| {
        graph.states.read(number, &mut state);
        (0..machines.machines.len()).any(|machine| {
            let mut leaving = machines.leaving(machine, graph.reading.at(&state, machine));
            leaving.any(|step| step.sends && graph.reading.is_full(&state, step.channel))
        })
    })
}

/// The first state in which a send never gets room.
pub(crate) fn no_room(
    graph: &CapacityGraph,
    machines: &SessionMachines,
    watch: &mut Watch<'_>,
) -> Result<Found, Limit> {
    let sends = (0..machines.steps.len() as u32).filter(|&step| machines.step(step).sends);
    first(graph, watch, sends, |send| {
        let step = machines.step(send);
        let reaching =
            graph.reaching(|other| other == send, |other| machines.step(other).machine != step.machine);
        let flaw = Flaw::NoRoom { machine: step.machine, channel: step.channel, message: step.message };
        move |state: &[u8], number: u32| {
            let wants = graph.reading.at(state, step.machine) == step.source;
            (wants && !reaching[number as usize]).then_some(flaw)
        }
    })
}

/// The first state in which the first message of a channel is never received.
pub(crate) fn orphan(
    graph: &CapacityGraph,
    machines: &SessionMachines,
    watch: &mut Watch<'_>,
) -> Result<Found, Limit> {
    first(graph, watch, 0..machines.channels.len(), |channel| {
        let receives = |step: u32| machines.step(step).channel == channel && !machines.step(step).sends;
        let reaching = graph.reaching(receives, |_| true);
        move |state: &[u8], number: u32| {
            let message = graph.reading.first(state, channel).filter(|_| !reaching[number as usize]);
            message.map(|message| Flaw::Orphan { channel, message })
        }
    })
}

/// The first state in which a machine waits for ever.
pub(crate) fn stuck(
    graph: &CapacityGraph,
    machines: &SessionMachines,
    watch: &mut Watch<'_>,
) -> Result<Found, Limit> {
    first(graph, watch, 0..machines.machines.len(), |machine| {
        let receives = |step: u32| machines.step(step).machine == machine && !machines.step(step).sends;
        let reaching = graph.reaching(receives, |_| true);
        move |bytes: &[u8], number: u32| {
            let state = graph.reading.at(bytes, machine);
            let waits = machines.receives(machine, state) && !reaching[number as usize];
            waits.then_some(Flaw::Stuck { machine, state })
        }
    })
}

/// The first state with a flaw of some kind; of several flaws in one state, that of the first kind.
fn first<T, F: Fn(&[u8], u32) -> Option<Flaw>>(
    graph: &CapacityGraph,
    watch: &mut Watch<'_>,
    kinds: impl Iterator<Item = T>,
    look: impl Fn(T) -> F,
) -> Result<Found, Limit> {
    let (mut found, mut end) = (None, graph.len());
    let mut state = Vec::new();
    for kind in kinds {
        if let Some(limit) = watch(&graph.counters()) {
            return Err(limit);
        }
        let flaw = look(kind);
        let mut here = |number: u32| {
            graph.states.read(number, &mut state);
            flaw(&state, number).map(|flaw| (number, flaw))
        };
        if let Some((number, flaw)) = (0..end).find_map(&mut here) {
            (found, end) = (Some((flaw, number)), number);
        }
    }
    Ok(found.map(|(flaw, number)| (flaw, graph.run_to(number))))
}
