//! Pairs that lie on an accepted cycle: a search of the product by strongly connected components (Couvreur 1999).
//!
//! A cycle of the product stays within a component of the automaton, so components are only looked for where the automaton can accept.
//! All other pairs are walked breadth first, which is the order in which states were recorded: to walk them depth first took five
//! times as long, since it jumps about in memory.

use super::pairs::Pairs;
use elnath_kernel::budget::WATCH_INTERVAL;
use elnath_kernel::{Budget, Counters, Limit};
use std::collections::{HashSet, VecDeque};

/// A pair on the path of the search, and which of its successors comes next: the next but so many of the system, and of
/// the automaton.
struct Frame {
    state: u32,
    at: u32,
    successor: u32,
    way: u32,
}

/// A component on the path: its first number, the marks of the edge by which it was entered, and those within.
struct Root {
    number: u32,
    entered: u64,
    within: u64,
}

/// A pair that was not met, in an array of numbers.
const NEW: u32 = 0;
/// A pair of a component that was left.
const LEFT: u32 = u32::MAX;

/// A search for an accepted cycle of the product.
pub(super) struct Search<'r> {
    pairs: Pairs<'r>,
    /// By state of the automaton, whether it lies on an accepted cycle there.
    recurs: &'r [bool],
    /// By pair: the number in the order in which pairs were met, [`NEW`] or [`LEFT`].
    numbers: Vec<u32>,
    next: u32,
    /// Pairs that are on no accepted cycle, but may lead to one.
    waiting: VecDeque<usize>,
    path: Vec<Frame>,
    roots: Vec<Root>,
    /// The pairs of the components on the path, in the order of their numbers.
    active: Vec<usize>,
    counters: Counters,
}

impl<'r> Search<'r> {
    pub(super) fn new(pairs: Pairs<'r>, recurs: &'r [bool]) -> Self {
        Self {
            pairs,
            recurs,
            numbers: Vec::new(),
            next: NEW + 1,
            waiting: VecDeque::new(),
            path: Vec::new(),
            roots: Vec::new(),
            active: Vec::new(),
            counters: Counters { states_exact: true, ..Counters::default() },
        }
    }

    /// Whether some run is accepted; or, if that is enough, comes to where the automaton can accept.
    pub(super) fn accepts(
        &mut self,
        initial: u32,
        by_reaching: bool,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Limit> {
        let pairs = self.pairs.count();
        let pairs = pairs.filter(|pairs| pairs * size_of::<u32>() <= budget.memory).ok_or(Limit::Memory)?;
        self.numbers = vec![NEW; pairs];
        if !self.recurs[initial as usize] {
            self.put_off(self.pairs.index(0, initial), budget)?;
        } else if by_reaching || self.accepts_from((0, initial), budget)? {
            return Ok(true);
        }
        while let Some(from) = self.waiting.pop_front() {
            let (state, at) = self.pairs.pair(from);
            for &to in self.pairs.successors(state, &[state]) {
                for &(_, at) in self.pairs.ways_of(state, at) {
                    self.counters.transitions += 1;
                    let next = self.pairs.index(to, at);
                    if self.numbers[next] != NEW {
                        continue;
                    }
                    if !self.recurs[at as usize] {
                        self.put_off(next, budget)?;
                    } else if by_reaching || self.accepts_from((to, at), budget)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether the automaton never left its initial state.
    pub(super) fn stayed(&self, initial: u32) -> bool {
        let (states, first) = (self.pairs.recording.states(), initial as usize);
        let others = (0..self.pairs.width).filter(|&at| at != first);
        others.into_iter().all(|at| self.numbers[at * states..][..states].iter().all(|&number| number == NEW))
    }

    /// Leaves a new pair that is on no accepted cycle for later.
    fn put_off(&mut self, pair: usize, budget: &mut Budget<'_>) -> Result<(), Limit> {
        self.numbers[pair] = LEFT;
        self.waiting.push_back(pair);
        self.tick(budget)
    }

    /// Whether some run from a pair that was not met is accepted.
    fn accepts_from(&mut self, pair: (u32, u32), budget: &mut Budget<'_>) -> Result<bool, Limit> {
        self.enter(pair, 0, budget)?;
        while let Some(&Frame { state, at, .. }) = self.path.last() {
            let (ways, itself) = (self.pairs.ways_of(state, at), [state]);
            let successors = self.pairs.successors(state, &itself);
            let frame = self.path.last_mut().expect("just seen");
            if frame.way as usize == ways.len() {
                (frame.way, frame.successor) = (0, frame.successor + 1);
            }
            let Some(&to) = successors.get(frame.successor as usize).filter(|_| !ways.is_empty()) else {
                self.leave();
                continue;
            };
            let (marks, at) = ways[frame.way as usize];
            frame.way += 1;
            self.counters.transitions += 1;
            match self.numbers[self.pairs.index(to, at)] {
                NEW if self.recurs[at as usize] => self.enter((to, at), marks, budget)?,
                NEW => self.put_off(self.pairs.index(to, at), budget)?,
                LEFT => {}
                number => {
                    if self.close(number, marks) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Puts a new pair on the path, as a component of its own.
    fn enter(&mut self, (state, at): (u32, u32), entered: u64, budget: &mut Budget<'_>) -> Result<(), Limit> {
        let pair = self.pairs.index(state, at);
        self.numbers[pair] = self.next;
        self.roots.push(Root { number: self.next, entered, within: 0 });
        self.next += 1;
        self.active.push(pair);
        self.path.push(Frame { state, at, successor: 0, way: 0 });
        self.counters.depth = self.counters.depth.max(self.path.len());
        self.tick(budget)
    }

    /// Counts a new pair, and now and then asks whether to go on.
    fn tick(&mut self, budget: &mut Budget<'_>) -> Result<(), Limit> {
        self.counters.states += 1;
        if !self.counters.states.is_multiple_of(WATCH_INTERVAL) {
            return Ok(());
        }
        self.count();
        if self.counters.store_bytes + self.counters.path_bytes > budget.memory {
            return Err(Limit::Memory);
        }
        (budget.watch)(&self.counters).map_or(Ok(()), Err)
    }

    /// An edge leads back to a component on the path, which takes in all that came after it. Whether it is accepted then.
    fn close(&mut self, number: u32, marks: u64) -> bool {
        let mut within = marks;
        while let Some(root) = self.roots.pop_if(|root| root.number > number) {
            within |= root.entered | root.within;
        }
        let root = self.roots.last_mut().expect("the component of a pair that was not left is on the path");
        root.within |= within;
        root.within & self.pairs.all == self.pairs.all
    }

    /// Takes the last pair off the path, and leaves its component if it was the first of it.
    fn leave(&mut self) {
        let frame = self.path.pop().expect("there is one");
        let number = self.numbers[self.pairs.index(frame.state, frame.at)];
        if self.roots.pop_if(|root| root.number == number).is_some() {
            while let Some(pair) = self.active.pop_if(|pair| self.numbers[*pair] >= number) {
                self.numbers[pair] = LEFT;
            }
        }
    }

    /// The pairs of the accepted component that was found, as far as it was walked, and an array with a number for each pair that
    /// nobody needs any more.
    pub(super) fn into_accepted(mut self) -> (HashSet<usize>, Vec<u32>) {
        let first = self.roots.last().map_or(0, |root| root.number);
        self.active.retain(|&pair| self.numbers[pair] >= first);
        (self.active.into_iter().collect(), self.numbers)
    }

    /// What was done so far.
    pub(super) fn counters(&mut self) -> Counters {
        self.count();
        self.counters
    }

    fn count(&mut self) {
        self.counters.insertions = self.counters.states;
        self.counters.stored = self.counters.states;
        self.counters.store_bytes = self.numbers.len() * size_of::<u32>();
        self.counters.path_bytes = self.path.capacity() * size_of::<Frame>()
            + self.roots.capacity() * size_of::<Root>()
            + (self.active.capacity() + self.waiting.capacity()) * size_of::<usize>();
    }
}
