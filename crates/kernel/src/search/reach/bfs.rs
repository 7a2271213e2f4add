//! Breadth-first search: finds a shortest run to every state.
//!
//! It needs marks that are never lost (so not the replacing store), but never reads a state back from the store: the
//! frontier keeps the bytes of the states that are still to be expanded. To reconstruct a run, a log has an entry for
//! each state that names its parent and the transition from it: eight bytes per state, whatever the store.

use crate::budget::{Budget, Counters, WATCH_INTERVAL, WATCH_WORK};
use crate::search::parts::kept::Kept;
use crate::search::parts::successors::Hashed;
use crate::search::{Edge, End, Hooks, Outcome, Witness, read_store};
use crate::store::{Marks, Room};
use crate::successors::Successor;
use crate::system::{Stepper, Transition};
use crate::verdict::Limit;

/// Walks everything reachable from `root`, level by level. Of the hooks, `expand` and `edge` are called.
pub fn bfs<M: Marks, H: Hooks>(
    stepper: &mut dyn Stepper,
    marks: &mut M,
    hooks: &mut H,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Outcome {
    let mut walk = BreadthFirst {
        marks,
        budget,
        log: Vec::new(),
        level_bytes: 0,
        next_level: Frontier::default(),
        counters: Counters::default(),
        first: None,
        kept: Vec::new(),
        only_states: false,
    };
    let result = walk.run(stepper, hooks, root);
    read_store(&mut walk.counters, walk.marks);
    let witness = walk.first.map(|(Stop { state, last }, _)| {
        Witness::Run(walk.run_to(state, stepper, root).into_iter().chain(last).collect())
    });
    let mut kept = Kept::default();
    for &(Stop { state, last }, length) in &walk.kept {
        kept.keep(length, || Some(walk.run_to(state, stepper, root).into_iter().chain(last).collect()));
    }
    let end = result.unwrap_or_else(|end| end);
    Outcome { end, counters: walk.counters, witness, kept: kept.into_runs() }
}

/// Where a hook said `Break`: at a state, or at one of its transitions.
#[derive(Clone, Copy)]
struct Stop {
    state: u32,
    last: Option<Transition>,
}

struct BreadthFirst<'w, 'b, M> {
    marks: &'w mut M,
    budget: &'w mut Budget<'b>,
    /// For the n-th state found, its parent's number and which of the parent's enabled transitions led to it.
    log: Vec<(u32, u32)>,
    /// Bytes of the level that is being expanded.
    level_bytes: usize,
    next_level: Frontier,
    counters: Counters,
    /// Where the shortest run to a `Break` ends, and its length.
    first: Option<(Stop, usize)>,
    /// The same of the runs that the hooks want to be kept.
    kept: Vec<(Stop, usize)>,
    /// Whether only a state of this level could still be nearer.
    only_states: bool,
}

impl<M: Marks> BreadthFirst<'_, '_, M> {
    fn run(&mut self, stepper: &mut dyn Stepper, hooks: &mut impl Hooks, root: &[u8]) -> Result<End, End> {
        let mut successors = Hashed::default();
        let (mut level, mut number) = (Frontier::default(), 0);
        let mut watched = stepper.work();
        let hash = self.marks.hash(root);
        if let Err(limit) = self.reach(root, hash, (0, 0)) {
            return Ok(End::Limited(limit));
        }
        loop {
            std::mem::swap(&mut level, &mut self.next_level);
            self.next_level.clear();
            self.level_bytes = level.bytes();
            for state in level.states() {
                successors.fire_all(stepper, self.marks, state);
                if hooks.expand(stepper, state, &successors.successors).is_break() {
                    self.found(hooks, Stop { state: number, last: None })?;
                }
                if self.only_states {
                    number += 1;
                    continue;
                }
                self.counters.generated += successors.successors.len() as u64;
                self.counters.transitions += successors.successors.len() as u64;
                for (choice, (successor, hash)) in successors.iter().enumerate() {
                    let Successor { transition, state: to, fault } = successor;
                    if hooks.edge(stepper, Edge { from: state, transition, to, fault }).is_break() {
                        self.found(hooks, Stop { state: number, last: Some(transition) })?;
                        if self.only_states {
                            break;
                        }
                    }
                    if let Err(limit) = self.reach(to, hash, (number, choice as u32)) {
                        return Ok(End::Limited(limit));
                    }
                }
                number += 1;
                let work = stepper.work();
                if u64::from(number).is_multiple_of(WATCH_INTERVAL) || work - watched >= WATCH_WORK {
                    watched = work;
                    read_store(&mut self.counters, self.marks);
                    let waiting = self.counters.insertions.saturating_sub(u64::from(number));
                    self.counters.waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
                    if let Some(limit) = (self.budget.watch)(&self.counters) {
                        return Ok(End::Limited(limit));
                    }
                }
            }
            if self.only_states {
                return Ok(End::Stopped);
            }
            if self.next_level.is_empty() {
                return Ok(End::Complete);
            }
            if self.counters.depth >= self.budget.depth {
                return Ok(End::Limited(Limit::Depth));
            }
            self.counters.depth += 1;
        }
    }

    /// A hook said `Break`: the run is told if it is shorter than what was found before. After a transition, a state of the
    /// same level may still be nearer.
    fn found(&mut self, hooks: &mut impl Hooks, at: Stop) -> Result<(), End> {
        let length = match at.last {
            Some(_) => self.counters.depth + 1,
            None => self.counters.depth,
        };
        if self.first.is_none_or(|(_, shortest)| length < shortest) {
            self.first = Some((at, length));
        }
        if hooks.keeps() {
            self.kept.push((at, length));
        }
        if hooks.goes_on() {
            return Ok(());
        }
        self.only_states = true;
        if at.last.is_some() { Ok(()) } else { Err(End::Stopped) }
    }

    /// Puts a state into the next level unless it is marked already.
    fn reach(&mut self, state: &[u8], hash: M::Hash, from: (u32, u32)) -> Result<(), Limit> {
        let queue = self.level_bytes + self.next_level.bytes_with(state) + (self.log.len() + 1) * 8;
        let room = Room { bytes: self.budget.memory.saturating_sub(queue), depth: self.counters.depth };
        if !self.marks.mark(state, hash, room)? {
            return Ok(());
        }
        if self.marks.insertions() > self.budget.states || self.log.len() >= u32::MAX as usize {
            return Err(Limit::States);
        }
        self.log.push(from);
        self.next_level.push(state);
        self.counters.path_bytes = self.counters.path_bytes.max(queue);
        Ok(())
    }

    /// The run to the state with this number, found by following the log up and walking down again.
    fn run_to(&self, state: u32, stepper: &mut dyn Stepper, root: &[u8]) -> Vec<Transition> {
        let mut choices = Vec::new();
        let mut at = state;
        while at != 0 {
            let (parent, choice) = self.log[at as usize];
            choices.push(choice);
            at = parent;
        }
        let (mut state, mut next, mut enabled) = (root.to_vec(), Vec::new(), Vec::new());
        let mut run = Vec::with_capacity(choices.len());
        for &choice in choices.iter().rev() {
            stepper.enabled(&state, &mut enabled);
            let t = enabled[choice as usize];
            let _ = stepper.fire(&state, t, &mut next);
            std::mem::swap(&mut state, &mut next);
            run.push(t);
        }
        run
    }
}

/// The states of one level, one after the other, each behind its length.
#[derive(Default)]
struct Frontier(Vec<u8>);

impl Frontier {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Its bytes with one more state.
    fn bytes_with(&self, state: &[u8]) -> usize {
        self.0.len() + 4 + state.len()
    }

    /// Empties it. A large buffer is given back: the next level may be small, and what is not accounted for must not
    /// stay occupied.
    fn clear(&mut self) {
        const LARGE: usize = 1 << 20;
        if self.0.len() > LARGE {
            self.0 = Vec::new();
        }
        self.0.clear();
    }

    fn push(&mut self, state: &[u8]) {
        let len = u32::try_from(state.len()).expect("stores refuse states of 4 GiB");
        self.0.extend_from_slice(&len.to_le_bytes());
        self.0.extend_from_slice(state);
    }

    fn states(&self) -> FrontierStates<'_> {
        FrontierStates(&self.0)
    }
}

struct FrontierStates<'a>(&'a [u8]);

impl<'a> Iterator for FrontierStates<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (len, rest) = self.0.split_first_chunk::<4>()?;
        let (state, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
        self.0 = rest;
        Some(state)
    }
}
