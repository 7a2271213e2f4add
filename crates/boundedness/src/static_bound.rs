//! The static test: bounds that hold because of how often what can happen, whatever the order.
//!
//! After Brand and Zafiropulo (as unbounded-fifo-channels-1990, 2.2.3, tells it): the messages in a channel are at most
//! what inequalities over the closed loops of the machines allow. The same without enumerating loops, as one linear
//! program for each channel ([`crate::linear`]):
//!
//! * unknown: how often each move was made, not negative;
//! * for each component and location: left less entered is at most 1 if it begins there, else 0 (and for components that
//!   are created: at most as often as they are);
//! * for each channel and message: taken less put is at most what there was at first; and for a channel with a capacity:
//!   put less taken is at most the room;
//! * to be maximised: put less taken, over the messages of the channel.
//!
//! A finite optimum, rounded down, is a bound. If there is none, some combination of loops feeds every channel that it
//! drains: that proves nothing, since it may not be possible in any order. The dual solution is a certificate: weights of
//! locations and messages that no move increases by more than it adds to the channel. It is checked exactly, apart from
//! the solver, before a bound is believed.

use crate::linear::{Inequalities, Ratio};
use crate::skeleton::{Move, Skeleton};
use std::collections::BTreeMap;

/// A bound of a channel, with what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticBound {
    /// The most messages it can hold.
    pub most: u64,
    /// What has weight in the proof, and how much.
    pub weights: Vec<(String, Ratio)>,
}

/// A bound for each channel of a skeleton, where the inequalities give one; `go_on` is asked before each.
pub fn static_bounds(skeleton: &Skeleton, go_on: &mut dyn FnMut() -> bool) -> Vec<Option<StaticBound>> {
    if skeleton.blind || skeleton.moves.len() > MOST_MOVES {
        return vec![None; skeleton.channels.len()];
    }
    let (about, inequalities) = inequalities(skeleton);
    let bound = |channel: usize| {
        let objective: Vec<i64> = skeleton.moves.iter().map(|made| effect(skeleton, made, channel)).collect();
        let proof = inequalities.bound(&objective)?;
        let most =
            u64::try_from(proof.value.floor()).ok()? + skeleton.channels[channel].contents.len() as u64;
        let weights = about.iter().cloned().zip(proof.weights).filter(|(_, weight)| !weight.is_zero());
        Some(StaticBound { most, weights: weights.collect() })
    };
    (0..skeleton.channels.len()).map(|channel| if go_on() { bound(channel) } else { None }).collect()
}

/// Larger programs are not solved: it would take too long.
const MOST_MOVES: usize = 5000;

/// How a move changes the number of messages in a channel.
fn effect(skeleton: &Skeleton, made: &Move, channel: usize) -> i64 {
    let on = |letters: &[usize]| {
        letters.iter().filter(|&&letter| skeleton.letters[letter].0 == channel).count() as i64
    };
    on(&made.puts) - on(&made.takes)
}

/// The inequalities, and what each of them is about.
fn inequalities(skeleton: &Skeleton) -> (Vec<String>, Inequalities) {
    let (mut about, mut rights) = (Vec::new(), Vec::new());
    // The inequality of the first location of each component.
    let mut first = Vec::new();
    for component in &skeleton.components {
        first.push(about.len());
        for (number, location) in component.locations.iter().enumerate() {
            about.push(format!("{}@{location}", component.name));
            rights.push(i64::from(component.present && number == component.entry));
        }
    }
    let letters = about.len();
    for (letter, &(channel, value)) in skeleton.letters.iter().enumerate() {
        let channel = &skeleton.channels[channel];
        about.push(value.map_or_else(|| channel.name.clone(), |value| format!("{}:{value}", channel.name)));
        rights.push(channel.contents.iter().filter(|&&other| other == letter).count() as i64);
    }
    let mut rooms = Vec::new();
    for (number, channel) in skeleton.channels.iter().enumerate() {
        if let Some(capacity) = channel.capacity {
            rooms.push((about.len(), number));
            about.push(format!("room in {}", channel.name));
            rights.push(i64::from(capacity).saturating_sub(channel.contents.len() as i64).max(0));
        }
    }
    let column = |made: &Move| {
        let mut column: BTreeMap<usize, i64> = BTreeMap::new();
        let mut add = |row: usize, value: i64| *column.entry(row).or_default() += value;
        add(first[made.component] + made.from, 1);
        if let Some(to) = made.to {
            add(first[made.component] + to, -1);
        }
        made.starts.iter().for_each(|&other| add(first[other] + skeleton.components[other].entry, -1));
        made.takes.iter().for_each(|&letter| add(letters + letter, 1));
        made.puts.iter().for_each(|&letter| add(letters + letter, -1));
        rooms.iter().for_each(|&(row, channel)| add(row, effect(skeleton, made, channel)));
        column.into_iter().filter(|&(_, value)| value != 0).collect()
    };
    let columns = skeleton.moves.iter().map(column).collect();
    (about, Inequalities { columns, rights })
}
