//! Minimal automata over finite words: Moore 1956, on decision diagrams.
//!
//! States are split by what they lead to until nothing changes. A row with blocks in place of states is again a decision
//! diagram, and equal rows are equal numbers, so a state is compared with all others by one look into a table, whatever
//! the number of letters. Hopcroft's algorithm would split less often, but goes through the letters one by one.

use crate::automaton::State;
use crate::finite::Dfa;
use crate::mtbdd::Mtbdd;
use std::collections::{HashMap, HashSet};

impl Dfa {
    /// The smallest automaton with the same language over the same alphabet. States that are not reachable are gone;
    /// numbers are given breadth first, so that equal languages give equal automata.
    #[must_use]
    pub fn minimised(&self) -> Dfa {
        let mut dfa = self.reachable();
        let mut block: Vec<u32> = dfa.accepting.iter().map(|&accepting| u32::from(accepting)).collect();
        let mut blocks = block.iter().collect::<HashSet<_>>().len();
        loop {
            let mut known: HashMap<(u32, Mtbdd), u32> = HashMap::new();
            let rows = dfa.rows_over(&block);
            let next = block.iter().zip(rows).map(|(&old, row)| {
                let fresh = known.len() as u32;
                *known.entry((old, row)).or_insert(fresh)
            });
            block = next.collect();
            if known.len() == blocks {
                break;
            }
            blocks = known.len();
        }
        let rows = dfa.rows_over(&block);
        // Blocks were numbered in the order of their first states, so these make the rows of the result.
        let mut first: Vec<usize> = Vec::new();
        for (state, &b) in block.iter().enumerate() {
            if b as usize == first.len() {
                first.push(state);
            }
        }
        dfa.rows = first.iter().map(|&state| rows[state]).collect();
        dfa.accepting = first.iter().map(|&state| dfa.accepting[state]).collect();
        dfa.reachable()
    }

    /// How many states a minimal automaton has if acceptance is a matter of the last step taken instead of the state
    /// reached: of the minimal automaton's states, those with the same steps count once. The empty word is left out.
    pub fn states_if_on_steps(&self) -> usize {
        self.minimised().rows.iter().collect::<HashSet<_>>().len()
    }

    /// Without the states that no word leads to; the rest numbered breadth first.
    fn reachable(&self) -> Dfa {
        let mut order = vec![self.initial()];
        let mut place: HashMap<State, State> = HashMap::from([(self.initial(), State(0))]);
        let mut at = 0;
        while let Some(state) = order.get(at) {
            at += 1;
            for to in self.table.values(self.rows[state.index()]).into_iter().flatten() {
                place.entry(to).or_insert_with(|| {
                    order.push(to);
                    State(order.len() as u32 - 1)
                });
            }
        }
        let mut dfa = self.clone();
        dfa.rows = order
            .iter()
            .map(|state| dfa.table.map(self.rows[state.index()], |to| to.map(|to| place[&to])))
            .collect();
        dfa.accepting = order.iter().map(|&state| self.accepting(state)).collect();
        dfa
    }

    /// The rows with blocks in place of states.
    fn rows_over(&mut self, block: &[u32]) -> Vec<Mtbdd> {
        let table = &mut self.table;
        self.rows.iter().map(|&row| table.map(row, |to| to.map(|to| State(block[to.index()])))).collect()
    }
}
