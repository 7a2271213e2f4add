//! A bad run of a recorded system, short: the nearest pair of what was found, and a shortest accepted cycle through it.
//!
//! Both are found breadth first. On the cycle it counts which acceptance sets were met, so what is searched are pairs with a set of
//! sets; usually there are one or two, and where there are many the effort is bounded ([`MOST_ON_CYCLES`]).

use super::pairs::Pairs;
use elnath_kernel::budget::WATCH_INTERVAL;
use elnath_kernel::{Budget, Counters, Limit};
use std::collections::{HashSet, VecDeque};

/// A run of a recorded system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRun {
    /// Which of the successors comes next, from the initial state on.
    pub choices: Vec<u32>,
    /// Which choice is the first of those that are repeated for ever; nothing if the system stops there, or if it does not matter
    /// what comes then.
    pub loop_start: Option<usize>,
}

/// So many pairs with the sets that were met are looked at to find a cycle.
const MOST_ON_CYCLES: usize = 1 << 22;

/// Nobody came here.
const NOBODY: u32 = 0;

impl Pairs<'_> {
    /// A shortest run to a pair that `is_bad`, whatever comes then.
    pub(super) fn run_to(
        &self,
        initial: u32,
        is_bad: impl Fn(usize) -> bool,
        came: Vec<u32>,
        budget: &mut Budget<'_>,
    ) -> Result<Option<RecordedRun>, Limit> {
        let way = self.way_to(initial, is_bad, came, budget)?;
        Ok(way.map(|way| RecordedRun { choices: self.choices(&way), loop_start: None }))
    }

    /// A run to the nearest pair of an accepted component, and around a cycle.
    pub(super) fn lasso(
        &self,
        initial: u32,
        accepted: &HashSet<usize>,
        came: Vec<u32>,
        budget: &mut Budget<'_>,
    ) -> Result<Option<RecordedRun>, Limit> {
        let Some(mut way) = self.way_to(initial, |pair| accepted.contains(&pair), came, budget)? else {
            return Ok(None);
        };
        let stem = way.len() - 1;
        let around = self.cycle(way[stem], accepted, budget)?;
        way.extend(around);
        let choices = self.choices(&way);
        let stops = choices.len() < way.len() - 1;
        Ok(Some(RecordedRun { choices, loop_start: (!stops).then_some(stem) }))
    }

    /// The pairs on a shortest way. `came` is an array with a number for each pair.
    fn way_to(
        &self,
        initial: u32,
        is_end: impl Fn(usize) -> bool,
        mut came: Vec<u32>,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Vec<usize>>, Limit> {
        came.fill(NOBODY);
        let root = self.index(0, initial);
        came[root] = root as u32 + 1;
        let mut queue = VecDeque::from([root]);
        let mut counters = Counters { states_exact: true, ..Counters::default() };
        while let Some(from) = queue.pop_front() {
            if is_end(from) {
                let before = |&pair: &usize| (pair != root).then(|| came[pair] as usize - 1);
                let mut way: Vec<usize> = std::iter::successors(Some(from), before).collect();
                way.reverse();
                return Ok(Some(way));
            }
            let (state, at) = self.pair(from);
            for &to in self.successors(state, &[state]) {
                for &(_, at) in self.ways_of(state, at) {
                    let next = self.index(to, at);
                    if came[next] == NOBODY {
                        came[next] = from as u32 + 1;
                        queue.push_back(next);
                    }
                }
            }
            counters.states += 1;
            if counters.states.is_multiple_of(WATCH_INTERVAL) {
                counters.store_bytes = came.len() * size_of::<u32>() + queue.capacity() * size_of::<usize>();
                look(&counters, budget)?;
            }
        }
        Ok(None)
    }

    /// The pairs on a shortest accepted cycle through one, which comes last.
    fn cycle(
        &self,
        through: usize,
        accepted: &HashSet<usize>,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<usize>, Limit> {
        // In the order in which they were met: the pair, the sets met on the way to it, and from where it was reached.
        let mut met: Vec<(usize, u64, usize)> = vec![(through, 0, 0)];
        let mut known = HashSet::from([(through, 0)]);
        let mut counters = Counters { states_exact: true, ..Counters::default() };
        let mut from = 0;
        while let Some(&(pair, sets, _)) = met.get(from) {
            let (state, at) = self.pair(pair);
            for &to in self.successors(state, &[state]) {
                for &(marks, at) in self.ways_of(state, at) {
                    let (next, sets) = (self.index(to, at), (sets | marks) & self.all);
                    if next == through && sets == self.all {
                        let before = |&(_, at): &(usize, usize)| (at > 0).then(|| (met[at].0, met[at].2));
                        let way = std::iter::successors(Some((through, from)), before);
                        let mut way: Vec<usize> = way.map(|(pair, _)| pair).collect();
                        way.reverse();
                        return Ok(way);
                    }
                    if accepted.contains(&next) && known.insert((next, sets)) {
                        met.push((next, sets, from));
                    }
                }
            }
            from += 1;
            if met.len() > MOST_ON_CYCLES {
                return Err(Limit::Memory);
            }
            if (from as u64).is_multiple_of(WATCH_INTERVAL) {
                counters.states = from as u64;
                counters.store_bytes = met.capacity() * 2 * size_of::<(usize, u64, usize)>();
                look(&counters, budget)?;
            }
        }
        unreachable!("a pair of an accepted component lies on an accepted cycle")
    }

    /// Which successors a way of pairs takes, until the system stops.
    fn choices(&self, way: &[usize]) -> Vec<u32> {
        let choice = |step: &[usize]| {
            let ((from, _), (to, _)) = (self.pair(step[0]), self.pair(step[1]));
            let choice = self.recording.successors(from).iter().position(|&next| next == to);
            choice.map(|choice| choice as u32)
        };
        way.windows(2).map_while(choice).collect()
    }
}

/// Asks whether to go on.
fn look(counters: &Counters, budget: &mut Budget<'_>) -> Result<(), Limit> {
    if counters.store_bytes > budget.memory {
        return Err(Limit::Memory);
    }
    (budget.watch)(counters).map_or(Ok(()), Err)
}
