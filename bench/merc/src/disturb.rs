//! A graph in another order, and with a late difference: what comparisons are measured with.

use elnath_kernel::rng::Rng;
use elnath_lts::aut::{Dialect, ReadOptions, read_file, write};
use elnath_lts::{Builder, Lts};
use std::fs::File;
use std::path::Path;

/// What is changed besides the order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing: the graphs are the same.
    Nothing,
    /// A visible transition of a state that is as far from the initial one as any gets another label of the graph.
    Late,
    /// A visible transition of a state near the initial one does.
    Early,
}

/// Writes a graph with its states and transitions in an order drawn by a seed; the initial state stays.
///
/// # Panics
/// If a file cannot be read or written, or there is nothing to change.
pub fn disturb(change: Change, seed: u64, from: &Path, to: &Path) {
    let lts = read_file(from, &ReadOptions::default()).expect("a good file").lts;
    let mut rng = Rng::new(seed);
    let changed = (change != Change::Nothing).then(|| transition(&lts, change == Change::Late));
    let mut number: Vec<u32> = lts.states().collect();
    mix(&mut number, &mut rng);
    let initial = number.iter().position(|&state| state == lts.initial()).expect("it is one of them");
    number.swap(initial, lts.initial() as usize);
    let mut edges: Vec<(u32, u32, u32)> = lts.transitions().collect();
    if let Some((index, label)) = changed {
        edges[index].1 = label;
    }
    mix(&mut edges, &mut rng);
    let mut builder = Builder::new();
    builder.at_least_states(lts.num_states() as u32);
    let labels: Vec<u32> = lts.labels().iter().map(|label| builder.label(label)).collect();
    for (source, label, target) in edges {
        builder.push(number[source as usize], labels[label as usize], number[target as usize]);
    }
    let out = File::create(to).expect("a file that can be written");
    write(&builder.finish(lts.initial()), Dialect::Cadp, out).expect("a file that can be written");
}

fn mix<T>(list: &mut [T], rng: &mut Rng) {
    for at in (1..list.len()).rev() {
        list.swap(at, rng.below(at as u64 + 1) as usize);
    }
}

/// A visible transition of the last or one of the first states that a search breadth first meets, and another label for it.
fn transition(lts: &Lts, late: bool) -> (usize, u32) {
    let mut order = vec![lts.initial()];
    let mut seen = vec![false; lts.num_states()];
    seen[lts.initial() as usize] = true;
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for edge in lts.edges(state) {
            if !std::mem::replace(&mut seen[edge.target as usize], true) {
                order.push(edge.target);
            }
        }
    }
    if late {
        order.reverse();
    }
    let visible = |state: u32| {
        let (start, end) = lts.range(state);
        (start..end).find(|&index| !lts.is_tau(lts.edge(index).label))
    };
    let index = order.into_iter().find_map(visible).expect("a visible transition");
    let old = lts.edge(index).label;
    let other = |label: &u32| *label != old && !lts.is_tau(*label);
    let label = (0..lts.labels().len() as u32).find(other).expect("two visible labels");
    (index as usize, label)
}
