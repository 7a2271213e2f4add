//! Random session automata, of four sorts: without any plan, which is mostly incompatible; a machine and its mirror image, which is
//! compatible until something is changed; rounds of messages that each machine sends and receives in an order of its own,
//! which need larger capacities; and a hub that hands a token from one machine to another, so that what it receives next depends on
//! what it has received.

use elnath_cfsm::network::{Channel, Machine, Network, State, Transition};
use elnath_kernel::rng::Rng;

pub(super) fn network(rng: &mut Rng) -> Network {
    match rng.below(5) {
        0 => anything(rng),
        1 => mirrored(rng),
        2 => hub(rng),
        _ => rounds(rng),
    }
}

/// Source, target, channel, message, and whether it is sent.
type Line = (usize, usize, usize, u32, bool);

/// A channel for each ordered pair of machines.
fn channel(machines: usize, from: usize, to: usize) -> usize {
    from * (machines - 1) + to - usize::from(to > from)
}

fn made(machines: Vec<(usize, Vec<Line>)>) -> Network {
    let count = machines.len();
    let name = |machine: usize| char::from(b'A' + machine as u8).to_string();
    let mut channels = Vec::new();
    for from in 0..count {
        for to in (0..count).filter(|&to| to != from) {
            let messages = vec!["a".to_owned(), "b".to_owned()];
            let name = format!("{}{}", name(from), name(to));
            channels.push(Channel { name, messages, ..Channel::default() });
        }
    }
    let machines = machines.into_iter().enumerate().map(|(number, (states, lines))| {
        let transitions = lines.into_iter().map(|(source, target, channel, message, sends)| {
            let word = vec![(channel, vec![message])];
            let (sends, receives) = if sends { (word, Vec::new()) } else { (Vec::new(), word) };
            Transition { source, target, receives, sends, priority: 0, text: "t".to_owned(), line: 1 }
        });
        let transitions = transitions.collect();
        let states = (0..states).map(|state| State { name: state.to_string(), end: true }).collect();
        Machine { name: name(number), states, initial: 0, transitions }
    });
    let machines = machines.collect();
    Network { name: "random".to_owned(), file: "random".to_owned(), channels, machines, is_net: false }
}

/// One to three different actions of one direction for each state of a machine.
fn choices(rng: &mut Rng, (machine, count): (usize, usize), states: usize, sparse: u64) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for state in 0..states {
        let sends = rng.below(2) == 0;
        for _ in 0..rng.below(sparse) {
            let other = (machine + 1 + rng.below(count as u64 - 1) as usize) % count;
            let at = if sends { channel(count, machine, other) } else { channel(count, other, machine) };
            let line = (state, rng.below(states as u64) as usize, at, rng.below(2) as u32, sends);
            if !lines.iter().any(|known| (known.0, known.2, known.3) == (line.0, line.2, line.3)) {
                lines.push(line);
            }
        }
    }
    lines
}

fn anything(rng: &mut Rng) -> Network {
    let count = 2 + rng.below(2) as usize;
    let machine = |number: usize| {
        let states = 1 + rng.below(4) as usize;
        (states, choices(rng, (number, count), states, 4))
    };
    made((0..count).map(machine).collect())
}

/// Two machines that do the opposite of each other; mostly with a change.
fn mirrored(rng: &mut Rng) -> Network {
    let states = 2 + rng.below(4) as usize;
    let lines = choices(rng, (0, 2), states, 4);
    let mut mirror: Vec<Line> = lines
        .iter()
        .map(|&(source, target, at, message, sends)| (source, target, at, message, !sends))
        .collect();
    if rng.below(3) > 0 && !mirror.is_empty() {
        let at = rng.below(mirror.len() as u64) as usize;
        match rng.below(3) {
            0 => mirror[at].1 = rng.below(states as u64) as usize,
            1 => drop(mirror.remove(at)),
            // Two messages in another order.
            _ => {
                let next: Vec<usize> =
                    (0..mirror.len()).filter(|&next| mirror[next].0 == mirror[at].1).collect();
                let alone = mirror.iter().filter(|line| line.0 == mirror[at].0).count() == 1;
                if let ([next], true) = (&next[..], alone) {
                    let (first, second) = (mirror[at], mirror[*next]);
                    (mirror[at].2, mirror[at].3, mirror[at].4) = (second.2, second.3, second.4);
                    (mirror[*next].2, mirror[*next].3, mirror[*next].4) = (first.2, first.3, first.4);
                }
            }
        }
    }
    made(vec![(states, lines), (states, mirror)])
}

/// Messages in a fixed order, for ever or once, of which each machine makes some sends earlier.
fn rounds(rng: &mut Rng) -> Network {
    let count = 2 + usize::from(rng.below(3) > 0);
    let mut own: Vec<Vec<(usize, u32, bool)>> = vec![Vec::new(); count];
    for _ in 0..2 + rng.below(6) {
        let from = rng.below(count as u64) as usize;
        let to = (from + 1 + rng.below(count as u64 - 1) as usize) % count;
        let (at, message) = (channel(count, from, to), rng.below(2) as u32);
        own[from].push((at, message, true));
        own[to].push((at, message, false));
    }
    let endless = rng.below(3) > 0;
    let machines = own.into_iter().map(|mut actions| {
        for _ in 0..rng.below(30) {
            if actions.len() > 1 {
                let at = rng.below(actions.len() as u64 - 1) as usize;
                if !actions[at].2 && actions[at + 1].2 {
                    actions.swap(at, at + 1);
                }
            }
        }
        let length = actions.len();
        let lines = actions.iter().enumerate().map(|(state, &(at, message, sends))| {
            let target = if endless { (state + 1) % length } else { state + 1 };
            (state, target, at, message, sends)
        });
        (length + 1, lines.collect::<Vec<Line>>())
    });
    let mut machines: Vec<(usize, Vec<Line>)> = machines.collect();
    more_choices(rng, &mut machines);
    made(machines)
}

/// Choices between different channels, sometimes.
fn more_choices(rng: &mut Rng, machines: &mut [(usize, Vec<Line>)]) {
    let count = machines.len();
    for _ in 0..rng.below(4) {
        let number = rng.below(count as u64) as usize;
        let (states, lines) = &mut machines[number];
        if lines.is_empty() {
            continue;
        }
        let (source, _, _, _, sends) = lines[rng.below(lines.len() as u64) as usize];
        let other = (number + 1 + rng.below(count as u64 - 1) as usize) % count;
        let at = if sends { channel(count, number, other) } else { channel(count, other, number) };
        let line = (source, rng.below(*states as u64) as usize, at, rng.below(2) as u32, sends);
        if !lines.iter().any(|known| (known.0, known.2, known.3) == (line.0, line.2, line.3)) {
            lines.push(line);
        }
    }
}

/// A hub that takes some messages from whoever has the token, and gives the token to the other with some more.
fn hub(rng: &mut Rng) -> Network {
    let mut machines: Vec<(usize, Vec<Line>)> = vec![(1, Vec::new())];
    let taken = [1, 2].map(|_| 1 + rng.below(2) as usize);
    let given = [1, 2].map(|_| 1 + rng.below(2) as usize);
    for spoke in 1..=2 {
        let (up, down) = (channel(3, spoke, 0), channel(3, 0, spoke));
        let (hub_states, hub_lines) = &mut machines[0];
        let (first, rest) = (rng.below(2) as u32, rng.below(2) as u32);
        let mut at = 0;
        for number in 0..taken[spoke - 1] {
            hub_lines.push((at, *hub_states, up, if number == 0 { first } else { rest }, false));
            at = *hub_states;
            *hub_states += 1;
        }
        for number in 0..given[2 - spoke] {
            let last = number + 1 == given[2 - spoke];
            let target = if last { 0 } else { *hub_states };
            hub_lines.push((at, target, channel(3, 0, 3 - spoke), 0, true));
            at = target;
            *hub_states += usize::from(!last);
        }
        let (up_count, down_count) = (taken[spoke - 1], given[spoke - 1]);
        let length = up_count + down_count;
        // The second one begins by waiting for the token.
        let shift = if spoke == 1 { 0 } else { down_count };
        let line = |number: usize| {
            let (source, target) = ((number + shift) % length, (number + shift + 1) % length);
            match number {
                0 => (source, target, up, first, true),
                number if number < up_count => (source, target, up, rest, true),
                _ => (source, target, down, 0, false),
            }
        };
        machines.push((length, (0..length).map(line).collect()));
    }
    if rng.below(3) == 0 {
        more_choices(rng, &mut machines);
    }
    made(machines)
}
