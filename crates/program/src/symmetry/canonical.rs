//! The state that stands for its orbit, made where the state lies.
//!
//! The parts of the processes of one kind are sorted by their bytes, those that have come to their end first. They are of
//! one size, so that nothing else moves. A successor of a sorted state has one or two parts that are not in order:
//! insertion is the sort for that.

use super::numbers::Numbers;
use super::{Kind, Symmetry};
use crate::layout::{LOCATION, Tables};
use std::cmp::Ordering;

/// What sorting needs besides the state; one per worker.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    tables: Tables,
    /// Where the processes of a kind lie.
    members: Vec<usize>,
}

impl Symmetry {
    /// Makes a state the representative of its orbit; whether it was another.
    pub(super) fn represent(&self, state: &mut [u8], scratch: &mut Scratch) -> bool {
        let Scratch { tables, members } = scratch;
        tables.read(&self.layout, state);
        if let Some(numbers) = &self.numbers {
            return self.represent_numbered(numbers, state, tables, members);
        }
        let mut changed = false;
        for kind in &self.kinds {
            members.clear();
            let bases = tables.processes.iter().map(|&base| base as usize);
            members.extend(bases.filter(|&base| state[base] == kind.id));
            for &base in members.iter() {
                if self.is_finished(state, base) {
                    let variables = &mut state[base + kind.locals..base + kind.size];
                    changed |= variables.iter().any(|&byte| byte != 0);
                    variables.fill(0);
                }
            }
            for end in 1..members.len() {
                let mut at = end;
                while at > 0 && self.is_before(state, kind, members[at], members[at - 1]) {
                    exchange(state, members[at - 1], members[at], kind.size);
                    changed = true;
                    at -= 1;
                }
            }
        }
        changed
    }

    /// The same where numbers of processes are exchanged with them; none of these end.
    fn represent_numbered(
        &self,
        numbers: &Numbers,
        state: &mut [u8],
        tables: &Tables,
        members: &mut Vec<usize>,
    ) -> bool {
        let mut changed = false;
        for kind in &self.kinds {
            members.clear();
            let pids = 0..tables.processes.len().min(numbers.limit());
            members.extend(pids.filter(|&pid| state[tables.processes[pid] as usize] == kind.id));
            for end in 1..members.len() {
                let mut at = end;
                while at > 0 {
                    let (a, b) = (members[at - 1], members[at]);
                    if numbers.compare(state, tables, &self.layout, (a, b)) != Ordering::Greater {
                        break;
                    }
                    self.exchange_numbered(numbers, state, tables, (a, b));
                    changed = true;
                    at -= 1;
                }
            }
        }
        changed
    }

    /// Exchanges two processes of one kind, their numbers, and what there is for each.
    fn exchange_numbered(
        &self,
        numbers: &Numbers,
        state: &mut [u8],
        tables: &Tables,
        (a, b): (usize, usize),
    ) {
        numbers.exchange(state, tables, &self.layout, (a, b));
        let (base_a, base_b) = (tables.processes[a] as usize, tables.processes[b] as usize);
        let size = self.layout.frames[usize::from(state[base_a])].size;
        exchange(state, base_a, base_b, size);
    }

    /// What two states have in common if they correspond: a representative without what has come to its end. Here it is the
    /// same for all states of an orbit, whatever that takes.
    pub(super) fn essence(&self, state: &[u8]) -> Vec<u8> {
        let (mut state, mut scratch) = (state.to_vec(), Scratch::default());
        self.represent(&mut state, &mut scratch);
        let tables = &scratch.tables;
        if let Some(numbers) = self.numbers.as_ref().filter(|numbers| numbers.are_told()) {
            let mut least = state.clone();
            self.arrange(numbers, tables, &state, &self.ties(numbers, tables, &state), &mut least);
            return least;
        }
        let ends = tables.processes.iter().skip(1).map(|&base| base as usize).chain([state.len()]);
        let mut essence = state[..tables.count].to_vec();
        for (&base, end) in tables.processes.iter().zip(ends) {
            let base = base as usize;
            if !self.is_finished(&state, base) {
                essence.extend_from_slice(&state[base..end]);
            }
        }
        essence
    }

    /// The processes, by their numbers, that sorting did not tell apart.
    fn ties(&self, numbers: &Numbers, tables: &Tables, state: &[u8]) -> Vec<Vec<usize>> {
        let mut ties: Vec<Vec<usize>> = Vec::new();
        for kind in &self.kinds {
            let pids = 0..tables.processes.len().min(numbers.limit());
            let mut before = None;
            for pid in pids.filter(|&pid| state[tables.processes[pid] as usize] == kind.id) {
                let equal = |other| numbers.compare(state, tables, &self.layout, (other, pid)).is_eq();
                match ties.last_mut() {
                    Some(tied) if before.is_some_and(equal) => tied.push(pid),
                    _ => ties.push(vec![pid]),
                }
                before = Some(pid);
            }
        }
        ties.retain(|tied| tied.len() > 1);
        ties
    }

    /// Finds the least of all states in which these processes are exchanged among each other.
    fn arrange(
        &self,
        numbers: &Numbers,
        tables: &Tables,
        state: &[u8],
        ties: &[Vec<usize>],
        least: &mut Vec<u8>,
    ) {
        let Some((tied, others)) = ties.split_first() else {
            if state < least.as_slice() {
                state.clone_into(least);
            }
            return;
        };
        let (&first, rest) = tied.split_first().expect("several are tied");
        let rest: Vec<Vec<usize>> = if rest.is_empty() { Vec::new() } else { vec![rest.to_vec()] };
        let left: Vec<Vec<usize>> = rest.into_iter().chain(others.iter().cloned()).collect();
        let mut tried: Vec<Vec<u8>> = Vec::new();
        for &other in tied {
            let mut next = state.to_vec();
            if other != first {
                self.exchange_numbered(numbers, &mut next, tables, (first, other));
            }
            if !tried.contains(&next) {
                self.arrange(numbers, tables, &next, &left, least);
                tried.push(next);
            }
        }
    }

    /// Whether the process that lies there has come to its end, and that is to make no difference.
    fn is_finished(&self, state: &[u8], base: usize) -> bool {
        let kind = usize::from(state[base]);
        let finished = &self.finished[kind];
        if finished.is_empty() {
            return false;
        }
        let wide = self.layout.frames[kind].wide_location;
        let high = if wide { usize::from(state[base + LOCATION + 1]) << 8 } else { 0 };
        finished[high | usize::from(state[base + LOCATION])]
    }

    fn is_before(&self, state: &[u8], kind: &Kind, a: usize, b: usize) -> bool {
        let key = |base: usize| (!self.is_finished(state, base), &state[base..base + kind.size]);
        key(a) < key(b)
    }
}

/// Exchanges what lies at `a` with what lies at `b`, which comes behind it.
fn exchange(state: &mut [u8], a: usize, b: usize, size: usize) {
    let (before, behind) = state.split_at_mut(b);
    before[a..a + size].swap_with_slice(&mut behind[..size]);
}
