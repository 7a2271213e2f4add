//! Forgetting the order of messages: channels as bags, which is a Petri net, and the tree of Karp and Miller.
//!
//! Whatever the machines can do with queues they can do with bags. So a channel that is bounded as a bag is bounded, by as
//! much. Unlike the linear program ([`crate::static_bound`]) this knows in which order things can happen, and is finer;
//! and it may be very large, so that only so many nodes are made. Capacities are forgotten, too: with them, more would not
//! always be better, which is what the tree is built on. Where every channel has one message only, queues and
//! bags are the same, and this decides.

use crate::skeleton::{Move, Skeleton};
use std::collections::HashMap;

/// More comparisons with ancestors are not made: the search should have most of the time.
const MOST_COMPARED: u64 = 20_000_000;
/// Any number.
const OMEGA: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Marking {
    /// Where each component is; nowhere if it has ended.
    at: Vec<Option<u32>>,
    /// How many of each letter there are.
    letters: Vec<u32>,
}

/// The most messages of each channel as a bag, `None` where there is no bound.
///
/// Nothing at all is answered if that takes more than `most` nodes or too long, if `go_on` says no, or if processes are created.
pub fn bag_bounds(
    skeleton: &Skeleton,
    most: usize,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Vec<Option<u64>>> {
    if skeleton.blind || skeleton.components.iter().any(|component| !component.present) {
        return None;
    }
    let mut letters = vec![0; skeleton.letters.len()];
    for letter in skeleton.channels.iter().flat_map(|channel| &channel.contents) {
        letters[*letter] += 1;
    }
    let at = skeleton.components.iter().map(|component| Some(component.entry as u32)).collect();
    let mut nodes = vec![(Marking { at, letters }, usize::MAX)];
    let mut known: HashMap<Marking, ()> = HashMap::from([(nodes[0].0.clone(), ())]);
    let mut todo = vec![0];
    let mut bounds: Vec<Option<u64>> = vec![Some(0); skeleton.channels.len()];
    let mut compared = 0;
    while let Some(node) = todo.pop() {
        // A node may be compared with all the others.
        if compared > MOST_COMPARED || nodes.len() % 16 == 0 && !go_on() {
            return None;
        }
        note(skeleton, &nodes[node].0, &mut bounds);
        for made in &skeleton.moves {
            let Some(mut next) = fire(&nodes[node].0, made) else { continue };
            compared += accelerate(&nodes, node, &mut next);
            if known.contains_key(&next) {
                continue;
            }
            if nodes.len() >= most {
                return None;
            }
            known.insert(next.clone(), ());
            todo.push(nodes.len());
            nodes.push((next, node));
        }
    }
    Some(bounds)
}

fn fire(marking: &Marking, made: &Move) -> Option<Marking> {
    if marking.at[made.component] != Some(made.from as u32) {
        return None;
    }
    let mut next = marking.clone();
    for &letter in &made.takes {
        match &mut next.letters[letter] {
            0 => return None,
            &mut OMEGA => {}
            count => *count -= 1,
        }
    }
    for &letter in &made.puts {
        if next.letters[letter] != OMEGA {
            next.letters[letter] += 1;
        }
    }
    next.at[made.component] = made.to.map(|to| to as u32);
    Some(next)
}

/// What grew since an ancestor that is not greater anywhere can grow for ever; with how many ancestors it was compared.
fn accelerate(nodes: &[(Marking, usize)], mut node: usize, next: &mut Marking) -> u64 {
    let mut compared = 0;
    while node != usize::MAX {
        compared += 1;
        let (ancestor, parent) = &nodes[node];
        let below = ancestor.at == next.at
            && ancestor.letters.iter().zip(&next.letters).all(|(before, after)| before <= after);
        if below {
            for (before, after) in ancestor.letters.iter().zip(&mut next.letters) {
                if before < after {
                    *after = OMEGA;
                }
            }
        }
        node = *parent;
    }
    compared
}

fn note(skeleton: &Skeleton, marking: &Marking, bounds: &mut [Option<u64>]) {
    for (channel, bound) in bounds.iter_mut().enumerate() {
        let mut sum = Some(0u64);
        for letter in skeleton.letters_of(channel) {
            let count = marking.letters[letter];
            sum = if count == OMEGA { None } else { sum.map(|sum| sum + u64::from(count)) };
        }
        *bound = match (*bound, sum) {
            (Some(bound), Some(sum)) => Some(bound.max(sum)),
            _ => None,
        };
    }
}
