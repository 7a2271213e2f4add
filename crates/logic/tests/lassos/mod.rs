//! What an automaton accepts, by the definition and without haste.

use elnath_logic::automaton::{Automaton, Letter};

/// Whether `automaton` accepts the word that begins with `prefix` and goes on with `cycle` for ever: whether, in the
/// product with the word, some reachable set of mutually reachable nodes has every mark on its inner edges.
pub(crate) fn accepts(automaton: &Automaton, prefix: &[Letter], cycle: &[Letter]) -> bool {
    assert!(!cycle.is_empty());
    let word: Vec<Letter> = prefix.iter().chain(cycle).copied().collect();
    let next = |at: usize| if at + 1 == word.len() { prefix.len() } else { at + 1 };
    let node = |state: usize, at: usize| state * word.len() + at;
    let nodes = automaton.states() * word.len();
    let mut edges = Vec::new();
    for (state, leaving) in automaton.edges.iter().enumerate() {
        for (at, &letter) in word.iter().enumerate() {
            for edge in leaving.iter().filter(|e| e.label.admits(letter)) {
                edges.push((node(state, at), edge.marks.0, node(edge.to.index(), next(at))));
            }
        }
    }
    let mut successors = vec![Vec::new(); nodes];
    for &(from, _, to) in &edges {
        successors[from].push(to);
    }
    // By node: what one or more steps reach.
    let reached: Vec<Vec<bool>> = (0..nodes)
        .map(|start| {
            let mut seen = vec![false; nodes];
            let mut todo = successors[start].clone();
            while let Some(n) = todo.pop() {
                if !std::mem::replace(&mut seen[n], true) {
                    todo.extend(&successors[n]);
                }
            }
            seen
        })
        .collect();
    let start = node(automaton.initial.index(), 0);
    (0..nodes).any(|n| {
        let within = |m: usize| reached[n][m] && reached[m][n];
        let inner = edges.iter().filter(|&&(from, _, to)| within(from) && within(to));
        let marks = inner.fold(0, |marks, (_, m, _)| marks | m);
        (n == start || reached[start][n])
            && within(n)
            && marks & automaton.all_marks().0 == automaton.all_marks().0
    })
}
