//! The static test: bounds that hold because of how often what can happen, whatever the order.
//!
//! After Brand and Zafiropulo (as unbounded-fifo-channels-1990, 2.2.3, tells it): the messages in a channel are at most
//! what inequalities over the closed loops of the machines allow. The same without enumerating loops, as one linear
//! program for each channel ([`super::simplex`]):
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

use super::simplex::{Matrix, Optimum, Ratio, Simplex, proves};
use super::skeleton::Skeleton;

/// A bound of a channel, with what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticBound {
    /// The most messages it can hold.
    pub most: u64,
    /// What has weight in the proof, and how much.
    pub weights: Vec<(String, Ratio)>,
}

/// The rows of the linear programs of a skeleton: what they are about, coefficients, right-hand sides.
struct Rows {
    about: Vec<String>,
    a: Matrix,
    b: Vec<i64>,
}

/// A bound for each channel of a skeleton, where the inequalities give one.
pub fn static_bounds(skeleton: &Skeleton) -> Vec<Option<StaticBound>> {
    let none = vec![None; skeleton.channels.len()];
    if skeleton.blind || skeleton.moves.len() > MOST_MOVES {
        return none;
    }
    let rows = rows(skeleton);
    if rows.a.len().saturating_mul(rows.a.len() + skeleton.moves.len()) > MOST_NUMBERS {
        return none;
    }
    let fresh = Simplex::new(&rows.a, &rows.b, skeleton.moves.len());
    let mut simplex = fresh.clone();
    let mut bounds = none;
    for (channel, bound) in bounds.iter_mut().enumerate() {
        let objective = effect(skeleton, channel);
        // After an overflow the tableau is in no state to go on with.
        *bound = match simplex.maximise(&objective) {
            Ok(optimum) => {
                optimum.and_then(|optimum| certified(skeleton, &rows, channel, &objective, &optimum))
            }
            Err(_) => {
                simplex = fresh.clone();
                None
            }
        };
    }
    bounds
}

/// Larger programs are not solved: the tableau would take too much memory or time.
const MOST_MOVES: usize = 5000;
const MOST_NUMBERS: usize = 10_000_000;

/// How each move changes the number of messages in a channel.
fn effect(skeleton: &Skeleton, channel: usize) -> Vec<i64> {
    let on = |letters: &[usize]| {
        letters.iter().filter(|&&letter| skeleton.letters[letter].0 == channel).count() as i64
    };
    skeleton.moves.iter().map(|made| on(&made.puts) - on(&made.takes)).collect()
}

fn rows(skeleton: &Skeleton) -> Rows {
    let mut rows = Rows { about: Vec::new(), a: Vec::new(), b: Vec::new() };
    for (number, component) in skeleton.components.iter().enumerate() {
        for location in 0..component.locations.len() {
            let row: Vec<i64> = skeleton
                .moves
                .iter()
                .map(|made| {
                    let own = made.component == number;
                    let left = i64::from(own && made.from == location);
                    let entered = i64::from(own && made.to == Some(location));
                    let created = made.starts.iter().filter(|&&other| other == number).count() as i64;
                    left - entered - if location == component.entry { created } else { 0 }
                })
                .collect();
            if row.iter().any(|&value| value != 0) {
                rows.about.push(format!("{}@{}", component.name, component.locations[location]));
                rows.b.push(i64::from(component.present && location == component.entry));
                rows.a.push(row);
            }
        }
    }
    for (letter, &(channel, value)) in skeleton.letters.iter().enumerate() {
        let count = |letters: &[usize]| letters.iter().filter(|&&other| other == letter).count() as i64;
        rows.a.push(skeleton.moves.iter().map(|made| count(&made.takes) - count(&made.puts)).collect());
        rows.b.push(count(&skeleton.channels[channel].contents));
        let name = &skeleton.channels[channel].name;
        rows.about.push(value.map_or_else(|| name.clone(), |value| format!("{name}:{value}")));
    }
    for (number, channel) in skeleton.channels.iter().enumerate() {
        if let Some(capacity) = channel.capacity {
            rows.a.push(effect(skeleton, number));
            rows.b.push(i64::from(capacity).saturating_sub(channel.contents.len() as i64).max(0));
            rows.about.push(format!("room in {}", channel.name));
        }
    }
    rows
}

fn certified(
    skeleton: &Skeleton,
    rows: &Rows,
    channel: usize,
    objective: &[i64],
    optimum: &Optimum,
) -> Option<StaticBound> {
    let proved = proves(&rows.a, &rows.b, objective, optimum);
    debug_assert_ne!(proved, Ok(false), "the solver's optimum is one");
    if proved != Ok(true) {
        return None;
    }
    let most = u64::try_from(optimum.value.floor()).ok()? + skeleton.channels[channel].contents.len() as u64;
    let weighty = rows.about.iter().zip(&optimum.dual).filter(|(_, weight)| !weight.is_zero());
    Some(StaticBound { most, weights: weighty.map(|(about, &weight)| (about.clone(), weight)).collect() })
}
