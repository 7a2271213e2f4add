//! Words that come to repeat themselves, and whether they are accepted.
//!
//! A word `u v v v ...` is given by its two finite parts. Two automata that differ do so on such a word, so that tests
//! and diagnoses need no others.

use crate::automaton::{Automaton, Letter, State};
use crate::scc::{NONE, tarjan};

/// Whether the automaton accepts `prefix` followed by `cycle` again and again; `cycle` must not be empty.
pub fn accepts(automaton: &Automaton, prefix: &[Letter], cycle: &[Letter]) -> bool {
    assert!(!cycle.is_empty(), "an infinite word has a cycle");
    let mut current = vec![automaton.initial];
    for &letter in prefix {
        let mut next: Vec<State> = (current.iter())
            .flat_map(|&s| automaton.leaving(s))
            .filter(|edge| edge.label.admits(letter))
            .map(|edge| edge.to)
            .collect();
        next.sort_unstable();
        next.dedup();
        current = next;
    }
    let all = automaton.all_marks().0;
    accepts_cycle(automaton.states(), current.iter().map(|s| s.0), cycle, all, |s, letter| {
        (automaton.edges[s as usize].iter())
            .filter(move |edge| edge.label.admits(letter))
            .map(|edge| (edge.to.0, edge.marks.0))
            .collect()
    })
}

/// Whether from one of the states `from` the word that repeats `cycle` is accepted; `step` gives the targets and marks
/// of the edges that a state has for a letter. A node is a state and a place in the cycle.
pub(crate) fn accepts_cycle(
    states: usize,
    from: impl IntoIterator<Item = u32>,
    cycle: &[Letter],
    all: u64,
    step: impl Fn(u32, Letter) -> Vec<(u32, u64)>,
) -> bool {
    let length = cycle.len();
    let node = |state: u32, place: usize| state as usize * length + place;
    let mut edges: Vec<Vec<(u32, u64)>> = Vec::with_capacity(states * length);
    for state in 0..states as u32 {
        for (place, &letter) in cycle.iter().enumerate() {
            let next = (place + 1) % length;
            edges.push(step(state, letter).into_iter().map(|(to, m)| (node(to, next) as u32, m)).collect());
        }
    }
    let roots: Vec<u32> = from.into_iter().map(|s| node(s, 0) as u32).collect();
    has_accepting_cycle(&edges, roots, all)
}

/// Whether a cycle that meets all acceptance sets can be reached.
pub(crate) fn has_accepting_cycle(
    edges: &[Vec<(u32, u64)>],
    roots: impl IntoIterator<Item = u32>,
    all: u64,
) -> bool {
    let successors: Vec<Vec<u32>> = edges.iter().map(|e| e.iter().map(|&(to, _)| to).collect()).collect();
    let (of, count) = tarjan(&successors, roots);
    let mut met: Vec<Option<u64>> = vec![None; count];
    for (node, leaving) in edges.iter().enumerate().filter(|&(node, _)| of[node] != NONE) {
        for &(to, marks) in leaving.iter().filter(|&&(to, _)| of[to as usize] == of[node]) {
            debug_assert!((to as usize) < edges.len());
            *met[of[node] as usize].get_or_insert(0) |= marks;
        }
    }
    met.into_iter().flatten().any(|marks| marks == all)
}
