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

/// The rank of a process that is not exchanged.
const STAYS: i32 = -1;

/// A state, and of each of its processes, by its number, a rank among those of its kind.
#[derive(Clone, PartialEq, Eq)]
struct Ranked {
    state: Vec<u8>,
    ranks: Vec<i32>,
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
                    if numbers.compare(state, tables, &self.layout, &|_| 0, (a, b)) != Ordering::Greater {
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
            let ranks = vec![0; tables.processes.len()];
            let mut least = None;
            self.arrange(numbers, tables, Ranked { state, ranks }, &mut least);
            return least.expect("there is at least one").state;
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

    /// Finds the least of all states in which processes are exchanged that ranks do not tell apart: ranks are refined as far
    /// as that goes, then one of several with the same rank is set before the others, each of them in turn. (Trying all orders
    /// of those with the same rank would do too, and takes n! steps where each process knows the next one.)
    fn arrange(&self, numbers: &Numbers, tables: &Tables, mut ranked: Ranked, least: &mut Option<Ranked>) {
        self.refine(numbers, tables, &mut ranked);
        let mut ranks = ranked.ranks.iter().enumerate();
        let tied = ranks.find(|&(pid, rank)| *rank != STAYS && ranked.ranks[pid + 1..].contains(rank));
        let Some((first, &tied)) = tied else {
            if least.as_ref().is_none_or(|least| ranked.state < least.state) {
                *least = Some(ranked);
            }
            return;
        };
        let members = (first..ranked.ranks.len()).filter(|&pid| ranked.ranks[pid] == tied);
        let mut tried: Vec<Ranked> = Vec::new();
        for other in members {
            let mut next = ranked.clone();
            if other != first {
                self.exchange_numbered(numbers, &mut next.state, tables, (first, other));
            }
            // The rank after this one is free: ranks are twice the number of the first who has it.
            for rank in &mut next.ranks[first + 1..] {
                *rank += i32::from(*rank == tied);
            }
            if !tried.contains(&next) {
                self.arrange(numbers, tables, next.clone(), least);
                tried.push(next);
            }
        }
    }

    /// Sorts the processes by their ranks and all that is known of them, and ranks them by that, until nothing new is known.
    fn refine(&self, numbers: &Numbers, tables: &Tables, Ranked { state, ranks }: &mut Ranked) {
        let mut groups = 0;
        loop {
            let mut next = vec![STAYS; ranks.len()];
            let mut found = 0;
            for kind in &self.kinds {
                let is_member = |&pid: &usize| state[tables.processes[pid] as usize] == kind.id;
                let members: Vec<usize> =
                    (0..tables.processes.len().min(numbers.limit())).filter(is_member).collect();
                let order = |state: &[u8], ranks: &[i32], a: usize, b: usize| {
                    let rank = |pid: usize| ranks[pid];
                    let own = ranks[a].cmp(&ranks[b]);
                    own.then_with(|| numbers.compare(state, tables, &self.layout, &rank, (a, b)))
                };
                for end in 1..members.len() {
                    let mut at = end;
                    while at > 0 && order(state, ranks, members[at - 1], members[at]).is_gt() {
                        let (a, b) = (members[at - 1], members[at]);
                        self.exchange_numbered(numbers, state, tables, (a, b));
                        ranks.swap(a, b);
                        at -= 1;
                    }
                }
                for (at, &pid) in members.iter().enumerate() {
                    let same = at > 0 && order(state, ranks, members[at - 1], pid).is_eq();
                    found += usize::from(!same);
                    next[pid] = if same { next[members[at - 1]] } else { 2 * pid as i32 };
                }
            }
            *ranks = next;
            if found == groups {
                return;
            }
            groups = found;
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
