//! The connect-disconnect protocol: its figures, and those of the 1989 paper's experiment with it.

use elnath::End;
use elnath::lts::Lts;
use elnath_experiments::connect_disconnect::{connect_disconnect, with_heap};
use std::collections::VecDeque;

/// States, transitions and deadlocks.
fn formulas(n: usize) -> (usize, usize, usize) {
    (n * n / 4 + 3 * (n + 1), n * n / 4 + 6 * n + 2, n.div_ceil(2))
}

/// The sizes of the strongly connected components that have a cycle.
fn components(lts: &Lts) -> Vec<usize> {
    let n = lts.num_states();
    let reach: Vec<Vec<bool>> = lts
        .states()
        .map(|root| {
            let mut seen = vec![false; n];
            let mut queue = vec![root];
            while let Some(state) = queue.pop() {
                for edge in lts.edges(state) {
                    if !std::mem::replace(&mut seen[edge.target as usize], true) {
                        queue.push(edge.target);
                    }
                }
            }
            seen
        })
        .collect();
    let together = |s: usize| (0..n).filter(|&t| reach[s][t] && reach[t][s]).collect::<Vec<_>>();
    let classes = (0..n).map(together).filter(|class| !class.is_empty());
    let mut classes: Vec<Vec<usize>> = classes.collect();
    classes.dedup();
    classes.sort();
    classes.dedup();
    classes.iter().map(Vec::len).collect()
}

fn eccentricity(lts: &Lts) -> usize {
    let mut distance = vec![usize::MAX; lts.num_states()];
    distance[lts.initial() as usize] = 0;
    let mut queue = VecDeque::from([lts.initial()]);
    let mut farthest = 0;
    while let Some(state) = queue.pop_front() {
        farthest = distance[state as usize];
        for edge in lts.edges(state) {
            if distance[edge.target as usize] == usize::MAX {
                distance[edge.target as usize] = farthest + 1;
                queue.push_back(edge.target);
            }
        }
    }
    farthest
}

#[test]
fn the_closed_forms_hold_up_to_20() {
    for n in 1..=20 {
        let lts = connect_disconnect(n);
        let deadlocks = lts.states().filter(|&state| lts.edges(state).is_empty()).count();
        let found = (lts.num_states(), lts.num_transitions(), deadlocks);
        assert_eq!(found, formulas(n), "n = {n}");
        assert_eq!(components(&lts), [2 * n + 3], "n = {n}");
        assert_eq!(eccentricity(&lts), if n == 1 { 4 } else { n + 4 }, "n = {n}");
    }
    for (n, states, transitions) in [(1, 6, 8), (5, 24, 38), (10, 58, 87), (15, 104, 148), (20, 163, 222)] {
        assert_eq!((formulas(n).0, formulas(n).1), (states, transitions));
    }
}

/// Generated states and the deepest stack, in states.
fn generated(lts: &Lts, heap: usize, seed: u64) -> (u64, usize) {
    let (end, counters) = with_heap(lts, heap, seed, &mut |_| None);
    assert_eq!(end, End::Complete);
    (counters.insertions, counters.depth + 1)
}

/// The number of simple paths from the initial state, and the states on a longest one.
fn simple_paths(lts: &Lts, state: u32, path: &mut Vec<u32>) -> (u64, usize) {
    path.push(state);
    let mut sum = (1, path.len());
    for edge in lts.edges(state) {
        if !path.contains(&edge.target) {
            let (paths, longest) = simple_paths(lts, edge.target, path);
            sum = (sum.0 + paths, sum.1.max(longest));
        }
    }
    path.pop();
    sum
}

#[test]
fn without_a_heap_every_simple_path_is_walked() {
    let paths = [7, 22, 46, 92, 158, 285, 471, 821, 1320, 2247, 3562, 6000];
    let deepest = [5, 7, 8, 9, 14, 15, 16, 17, 22, 23, 24, 25];
    for (n, expected) in (1..).zip(paths.into_iter().zip(deepest)) {
        let lts = connect_disconnect(n);
        assert_eq!(simple_paths(&lts, lts.initial(), &mut Vec::new()), expected, "n = {n}");
        assert_eq!(generated(&lts, 0, 1), expected, "n = {n}");
    }
    // "Memory larger than the diameter" is not enough for the stack: 14 steps to the farthest state, 23 states deep.
    let lts = connect_disconnect(10);
    assert_eq!((eccentricity(&lts), generated(&lts, 0, 1).1), (14, 23));
    assert_eq!(generated(&connect_disconnect(18), 0, 1).0, 109_465);
    assert_eq!(generated(&connect_disconnect(20), 0, 1).0, 286_853);
}

#[test]
fn a_tenth_of_the_states_is_heap_enough() {
    let mean =
        |lts: &Lts, heap: usize| (1..=20).map(|seed| generated(lts, heap, seed).0).sum::<u64>() as f64 / 20.0;
    for (n, states) in [(20, 163), (40, 523)] {
        let lts = connect_disconnect(n);
        assert_eq!(lts.num_states(), states);
        let d = states as f64;
        assert_eq!(mean(&lts, states), d);
        assert!(mean(&lts, states / 2) < d * 1.01, "n = {n}");
        assert!(mean(&lts, states / 4) < d * 1.1, "n = {n}");
        let (tenth, twentieth) = (mean(&lts, states / 10), mean(&lts, states / 20));
        assert!(tenth < d * 2.0, "n = {n}: {tenth}");
        assert!(twentieth > tenth && twentieth < d * 20.0, "n = {n}: {twentieth}");
    }
}
