//! Communicating machines once more, as obviously as possible: nothing here is shared with the interpreter.

use elnath_cfsm::network::{Channel, Machine, Network, State, Transition};
use elnath_kernel::rng::Rng;
use std::collections::{HashSet, VecDeque};

/// Where the machines are, and what the channels hold.
pub(super) type Global = (Vec<usize>, Vec<Vec<u32>>);

pub(super) fn initial(network: &Network) -> Global {
    let at = network.machines.iter().map(|machine| machine.initial).collect();
    (at, network.channels.iter().map(|channel| channel.contents.clone()).collect())
}

/// The transitions that are possible, as machine and number, with where they lead.
pub(super) fn successors(network: &Network, state: &Global) -> Vec<((usize, usize), Global)> {
    let mut out = Vec::new();
    for (number, machine) in network.machines.iter().enumerate() {
        let possible: Vec<usize> = (0..machine.transitions.len())
            .filter(|&index| {
                let transition = &machine.transitions[index];
                transition.source == state.0[number]
                    && transition.receives.iter().all(|(channel, word)| state.1[*channel].starts_with(word))
            })
            .collect();
        let top = possible.iter().map(|&index| machine.transitions[index].priority).max().unwrap_or(0);
        for index in possible {
            let transition = &machine.transitions[index];
            if transition.priority < top {
                continue;
            }
            let mut next = state.clone();
            next.0[number] = transition.target;
            for (channel, word) in &transition.receives {
                next.1[*channel].drain(..word.len());
            }
            for (channel, word) in &transition.sends {
                next.1[*channel].extend(word);
            }
            out.push(((number, index), next));
        }
    }
    out
}

/// All states, or the first `most`; whether these are all, and the longest contents.
pub(super) fn explore(network: &Network, most: usize) -> (bool, HashSet<Global>, Vec<usize>) {
    let first = initial(network);
    let mut longest: Vec<usize> = first.1.iter().map(Vec::len).collect();
    let mut seen = HashSet::from([first.clone()]);
    let mut todo = VecDeque::from([first]);
    while let Some(state) = todo.pop_front() {
        for (_, next) in successors(network, &state) {
            for (longest, content) in longest.iter_mut().zip(&next.1) {
                *longest = content.len().max(*longest);
            }
            if seen.len() >= most {
                return (false, seen, longest);
            }
            if seen.insert(next.clone()) {
                todo.push_back(next);
            }
        }
    }
    (true, seen, longest)
}

/// A small random system. About one in five is a fifo net, one in five has priorities, and some channels hold something at
/// first.
pub(super) fn random(rng: &mut Rng) -> Network {
    let net = rng.below(5) == 0;
    let machines = if net { 1 } else { 1 + rng.below(3) as usize };
    let channel_count = 1 + rng.below(3) as usize;
    let words = rng.below(3) == 0;
    let priorities = rng.below(5) == 0;
    let letters: Vec<u64> = (0..channel_count).map(|_| 1 + rng.below(2)).collect();
    let channels = letters.iter().enumerate().map(|(number, &letters)| Channel {
        name: format!("f{number}"),
        messages: (0..letters).map(|letter| format!("m{letter}")).collect(),
        contents: (0..if rng.below(4) == 0 { 1 + rng.below(2) } else { 0 })
            .map(|_| rng.below(letters) as u32)
            .collect(),
        capacity: None,
    });
    let channels: Vec<Channel> = channels.collect();
    let word = |rng: &mut Rng, longest: u64| -> (usize, Vec<u32>) {
        let channel = rng.below(channel_count as u64) as usize;
        (channel, (0..1 + rng.below(longest)).map(|_| rng.below(letters[channel]) as u32).collect())
    };
    let machines = (0..machines).map(|number| {
        let states = if net { 1 } else { 1 + rng.below(3) as usize };
        let transitions = (0..2 + rng.below(5)).map(|_| {
            let longest = if words { 2 } else { 1 };
            let (mut receives, mut sends) = (Vec::new(), Vec::new());
            let kind = rng.below(if net || words { 5 } else { 7 });
            if matches!(kind, 0 | 1 | 5) || net {
                receives.push(word(rng, longest));
            }
            if matches!(kind, 1 | 2 | 3 | 6) {
                sends.push(word(rng, longest));
            }
            Transition {
                source: rng.below(states as u64) as usize,
                target: rng.below(states as u64) as usize,
                receives,
                sends,
                priority: if priorities { rng.below(2) as u32 } else { 0 },
                text: String::from("t"),
                line: 1,
            }
        });
        let transitions = transitions.collect();
        let states = (0..states).map(|state| State { name: state.to_string(), end: false }).collect();
        Machine { name: format!("P{number}"), states, initial: 0, transitions }
    });
    let machines = machines.collect();
    Network { name: "random".to_owned(), file: "random".to_owned(), channels, machines, is_net: false }
}

/// A system as text, for people who look at a failure.
pub(in crate::campaigns) fn show(network: &Network) -> String {
    let mut text = String::new();
    for channel in &network.channels {
        text += &format!("channel {} of {}", channel.name, channel.messages.join(", "));
        let held: Vec<&str> =
            channel.contents.iter().map(|&letter| &*channel.messages[letter as usize]).collect();
        if !held.is_empty() {
            text += &format!(" holds {}", held.join("."));
        }
        text += "\n";
    }
    let side = |words: &[(usize, Vec<u32>)], sign: char| -> Vec<String> {
        let shown = words.iter().map(|(channel, word)| {
            let channel = &network.channels[*channel];
            let word: Vec<&str> = word.iter().map(|&letter| &*channel.messages[letter as usize]).collect();
            format!("{}{sign}{}", channel.name, word.join("."))
        });
        shown.collect()
    };
    for machine in &network.machines {
        text += &format!("machine {} {{\n    start {}\n", machine.name, machine.states[machine.initial].name);
        for transition in &machine.transitions {
            let mut actions = side(&transition.receives, '?');
            actions.extend(side(&transition.sends, '!'));
            let actions = if actions.is_empty() { "tau".to_owned() } else { actions.join(", ") };
            text += &format!(
                "    {} -> {}: {actions} priority {}\n",
                transition.source, transition.target, transition.priority
            );
        }
        text += "}\n";
    }
    text
}
