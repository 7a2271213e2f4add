//! The replacing store (state-space caching): bounded memory, in which the path is always complete and visited states
//! are forgotten when there is no room (on-the-fly-verification-1993, 2.1 and 2.2).
//!
//! Only a state in V may be replaced; the [`Replacement`] policy chooses which one. The paper's policy is random, "as
//! nothing about the structure of the graph can be known in advance"; least recently used and stratified (Geldenhuys
//! 2004: prefer to keep the states of every k-th level, so that a lost region is soon re-entered at a kept state) are
//! here for comparison.
//!
//! Cells are never given back, but the path, which lives in the same memory, may still grow when the store is full. So
//! the store stops growing when a quarter of the memory is left, and manages with what it has until the path has taken
//! that quarter, too. (Without this, the first frame after the store had filled the memory emptied the store in vain.)
//!
//! The store of on-line-model-checking-1989 (figure 5) bounds something else: a *heap* of visited states, beside a path
//! of any length ([`Replacing::with_heap`]). There a state is replaced when another one joins the heap.
//!
//! A search that forgets too much repeats itself: with the stack alone, the number of visits can be exponential. The
//! store therefore estimates the number of distinct states it has seen and stops, with [`Limit::Thrashing`], once it
//! has inserted [`Replacing::THRASHING`] times as many.

use super::cells::{Cell, Cells, NIL};
use super::distinct::Distinct;
use super::{Known, Ref, Room, Sleeps, States, Status, Store, Visit, hash64, prefetch_line};
use crate::rng::Rng;
use crate::verdict::Limit;

/// Which visited state is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Any, with equal probability.
    Random,
    /// The one that was found again, or left, longest ago.
    LeastRecentlyUsed,
    /// A random one that was entered at a depth not divisible by `period`, while there are such.
    Stratified {
        /// Every how many levels states are spared.
        period: u32,
    },
}

/// A store of bounded size. The head of its source file explains it.
pub struct Replacing {
    cells: Cells,
    most: usize,
    /// At most this many states in V, of which there are so many now.
    heap: usize,
    visited: usize,
    /// Most states held at once so far: the pools of victims may come to hold them all.
    held: usize,
    victims: Victims,
    rng: Rng,
    distinct: Distinct,
    insertions: u64,
    replacements: u64,
    thrashing: u64,
}

impl Replacing {
    /// How many insertions per distinct state are taken for thrashing, unless told otherwise.
    pub const THRASHING: u64 = 50;

    /// An empty store for states of about `typical` bytes that holds at most `most` states, and fewer if the room it
    /// is given at a visit is smaller.
    pub fn new(replacement: Replacement, typical: usize, most: usize, rng: Rng) -> Self {
        Self {
            cells: Cells::new(typical),
            most,
            heap: usize::MAX,
            visited: 0,
            held: 0,
            victims: Victims::new(replacement),
            rng,
            distinct: Distinct::new(),
            insertions: 0,
            replacements: 0,
            thrashing: Self::THRASHING,
        }
    }

    /// Keeps at most this many visited states beside the path, however long that is: with none, only the path is known.
    #[must_use]
    pub fn with_heap(mut self, most: usize) -> Self {
        self.heap = most;
        self
    }

    /// Sets how many insertions per distinct state are taken for thrashing.
    #[must_use]
    pub fn with_thrashing_factor(mut self, factor: u64) -> Self {
        self.thrashing = factor;
        self
    }

    fn status(&self, at: Cell) -> Status {
        Status::from_bits(u32::from(self.cells.header(at).tag))
    }

    /// The paper's `if memory_full then if V = ∅ then memory_overflow else V := V - {one_of(V)}`.
    fn make_room(&mut self, len: usize, room: Room) -> Result<(), Limit> {
        let fits = |store: &Self, bytes: usize| {
            store.bytes() + store.cells.growth(len) + store.victims.bytes_per_state() <= bytes
        };
        if self.bytes() > room.bytes {
            return Err(Limit::Memory);
        }
        while self.cells.len() >= self.most || (self.cells.growth(len) > 0 && !fits(self, room.bytes / 4 * 3))
        {
            match self.victims.choose(&mut self.cells, &mut self.rng) {
                Some(victim) => {
                    self.visited -= 1;
                    self.forget(victim);
                }
                // All is path: then the quarter is there for it.
                None if self.cells.len() < self.most && fits(self, room.bytes) => break,
                None => return Err(Limit::Memory),
            }
        }
        Ok(())
    }

    fn forget(&mut self, at: Cell) {
        self.cells.remove(at);
        self.replacements += 1;
    }

    /// A state is left: the 1989 paper's `if full(heap) then replace(random(heap), ..) else memorize(..)`.
    fn memorise(&mut self, at: Cell) {
        if self.heap == 0 {
            return self.forget(at);
        }
        if self.visited == self.heap
            && let Some(victim) = self.victims.choose(&mut self.cells, &mut self.rng)
        {
            self.visited -= 1;
            self.forget(victim);
        }
        self.victims.add(&mut self.cells, at);
        self.visited += 1;
    }

    fn is_thrashing(&self) -> bool {
        // Estimating is not free, and small searches may repeat themselves as they like.
        self.replacements > 0
            && self.insertions.is_multiple_of(1 << 14)
            && self.insertions / self.thrashing > self.distinct.estimate()
    }
}

impl States for Replacing {
    type Hash = u64;

    fn hash(&self, state: &[u8]) -> u64 {
        hash64(state)
    }

    fn prefetch(&self, hash: u64) {
        prefetch_line(self.cells.heads(), self.cells.bucket(hash as u32));
    }

    fn prefetch_bytes(&self, hash: u64, _: usize) {
        self.cells.prefetch_first(hash as u32);
    }

    /// All that the table uses of it.
    fn hint(&self, hash: u64) -> u32 {
        hash as u32
    }

    fn prefetch_hint(&self, hint: u32) {
        prefetch_line(self.cells.heads(), self.cells.bucket(hint));
    }

    fn prefetch_hint_bytes(&self, hint: u32) {
        self.cells.prefetch_first(hint);
    }

    fn len(&self) -> u64 {
        self.cells.len() as u64
    }

    fn bytes(&self) -> usize {
        self.cells.bytes() + self.held * self.victims.bytes_per_state()
    }

    fn insertions(&self) -> u64 {
        self.insertions
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.victims.clear();
        self.distinct = Distinct::new();
        (self.insertions, self.replacements, self.visited) = (0, 0, 0);
    }

    fn distinct(&self) -> u64 {
        if self.replacements == 0 { self.insertions } else { self.distinct.estimate().min(self.insertions) }
    }

    fn replacements(&self) -> u64 {
        self.replacements
    }

    fn fill(&self) -> Option<f64> {
        (self.most < usize::MAX).then(|| self.cells.len() as f64 / self.most as f64)
    }
}

impl Store for Replacing {
    fn find(&mut self, state: &[u8], hash: u64) -> Option<Known> {
        let at = self.cells.find(state, hash as u32)?;
        let status = self.status(at);
        if status == Status::Visited {
            self.victims.touch(&mut self.cells, at);
        }
        Some(Known { status, at: Ref(u64::from(at)) })
    }

    fn visit(&mut self, state: &[u8], hash: u64, room: Room) -> Result<Visit, Limit> {
        if let Some(known) = self.find(state, hash) {
            return Ok(Visit::Known(known));
        }
        self.make_room(state.len(), room)?;
        let at = self.cells.insert(state, hash as u32, Status::Path as u8).ok_or(Limit::Memory)?;
        self.victims.entered(&mut self.cells, at, room.depth);
        self.held = self.held.max(self.cells.len());
        self.insertions += 1;
        self.distinct.note(hash);
        if self.is_thrashing() { Err(Limit::Thrashing) } else { Ok(Visit::New(Ref(u64::from(at)))) }
    }

    fn set_status(&mut self, at: Ref, status: Status) {
        let at = at.0 as Cell;
        debug_assert_ne!(self.status(at), Status::Visited, "a visited state may be gone at any time");
        self.cells.header_mut(at).tag = status as u8;
        if status == Status::Visited {
            self.memorise(at);
        }
    }

    fn read(&self, at: Ref, out: &mut Vec<u8>) {
        self.cells.read(at.0 as Cell, out);
    }
}

impl Sleeps for Replacing {
    const PROCESSES: u32 = (1 << 24) - 1;

    fn asleep(&self, at: Ref) -> u32 {
        let [a, b, c] = self.cells.header(at.0 as Cell).small;
        u32::from_le_bytes([a, b, c, 0])
    }

    fn set_asleep(&mut self, at: Ref, processes: u32) {
        let [a, b, c, _] = processes.to_le_bytes();
        self.cells.header_mut(at.0 as Cell).small = [a, b, c];
    }

    fn reopen(&mut self, at: Ref) {
        let at = at.0 as Cell;
        debug_assert_eq!(self.status(at), Status::Visited, "only a visited state is reopened");
        self.victims.remove(&mut self.cells, at);
        self.visited -= 1;
        self.cells.header_mut(at).tag = Status::Path as u8;
    }
}

/// The set V, arranged so that the next victim is found in constant time.
enum Victims {
    /// `links[0]` is a state's position in its pool, `links[1]` which pool: 0 goes first.
    Pools { pools: [Vec<Cell>; 2], period: u32 },
    /// `links` are the neighbours in a list, older and newer.
    Queue { oldest: Cell, newest: Cell },
}

const POSITION: usize = 0;
const POOL: usize = 1;
const OLDER: usize = 0;
const NEWER: usize = 1;

impl Victims {
    fn new(replacement: Replacement) -> Self {
        match replacement {
            Replacement::Random => Victims::Pools { pools: [Vec::new(), Vec::new()], period: 0 },
            Replacement::Stratified { period } => Victims::Pools { pools: [Vec::new(), Vec::new()], period },
            Replacement::LeastRecentlyUsed => Victims::Queue { oldest: NIL, newest: NIL },
        }
    }

    fn clear(&mut self) {
        match self {
            Victims::Pools { pools, .. } => pools.iter_mut().for_each(Vec::clear),
            Victims::Queue { oldest, newest } => (*oldest, *newest) = (NIL, NIL),
        }
    }

    fn bytes_per_state(&self) -> usize {
        match self {
            Victims::Pools { .. } => size_of::<Cell>(),
            Victims::Queue { .. } => 0,
        }
    }

    /// A state was put on the path at this depth.
    fn entered(&self, cells: &mut Cells, at: Cell, depth: usize) {
        if let Victims::Pools { period, .. } = self {
            let spared = *period > 0 && depth.is_multiple_of(*period as usize);
            cells.header_mut(at).links[POOL] = u32::from(spared);
        }
    }

    /// A state became `Visited`.
    fn add(&mut self, cells: &mut Cells, at: Cell) {
        match self {
            Victims::Pools { pools, .. } => {
                let pool = &mut pools[cells.header(at).links[POOL] as usize];
                cells.header_mut(at).links[POSITION] = pool.len() as u32;
                pool.push(at);
            }
            Victims::Queue { oldest, newest } => {
                cells.header_mut(at).links = [*newest, NIL];
                match *newest {
                    NIL => *oldest = at,
                    before => cells.header_mut(before).links[NEWER] = at,
                }
                *newest = at;
            }
        }
    }

    /// A visited state is one no longer.
    fn remove(&mut self, cells: &mut Cells, at: Cell) {
        match self {
            Victims::Pools { pools, .. } => {
                let [position, pool] = cells.header(at).links;
                take(&mut pools[pool as usize], position as usize, cells);
            }
            Victims::Queue { .. } => self.unlink(cells, at),
        }
    }

    /// A visited state was found again.
    fn touch(&mut self, cells: &mut Cells, at: Cell) {
        if let Victims::Queue { newest, .. } = self
            && *newest != at
        {
            self.unlink(cells, at);
            self.add(cells, at);
        }
    }

    /// Takes the next victim out of V; `None` if V is empty.
    fn choose(&mut self, cells: &mut Cells, rng: &mut Rng) -> Option<Cell> {
        match self {
            Victims::Pools { pools, .. } => {
                let pool = pools.iter_mut().find(|pool| !pool.is_empty())?;
                let position = rng.below(pool.len() as u64) as usize;
                Some(take(pool, position, cells))
            }
            Victims::Queue { oldest, .. } => {
                let victim = *oldest;
                (victim != NIL).then(|| {
                    self.unlink(cells, victim);
                    victim
                })
            }
        }
    }

    fn unlink(&mut self, cells: &mut Cells, at: Cell) {
        let Victims::Queue { oldest, newest } = self else { return };
        let [older, newer] = cells.header(at).links;
        match older {
            NIL => *oldest = newer,
            _ => cells.header_mut(older).links[NEWER] = newer,
        }
        match newer {
            NIL => *newest = older,
            _ => cells.header_mut(newer).links[OLDER] = older,
        }
    }
}

/// Takes a state out of a pool; the last one takes its place.
fn take(pool: &mut Vec<Cell>, position: usize, cells: &mut Cells) -> Cell {
    let taken = pool.swap_remove(position);
    if let Some(&moved) = pool.get(position) {
        cells.header_mut(moved).links[POSITION] = position as u32;
    }
    taken
}
