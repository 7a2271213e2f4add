//! Stores: the data structures that remember states.
//!
//! The memory of on-the-fly-verification-1993, 2.1, is the disjoint union of four sets: the states of the current path
//! (St), states needed later (N), states to be kept permanently (P) and visited states (V), of which only the last may
//! be forgotten. [`Store`] is that memory; [`Status`] says in which set a state is.
//!
//! | store | a state costs | forgets | takes a new state for a known one |
//! |---|---|---|---|
//! | [`Exact`] | its bytes + about 14 | never | never |
//! | [`Tree`] | about 12 bytes and its share of the parts it is made of | never | never |
//! | [`Replacing`] | its bytes + about 34, at most the bound | visited states, when full | never |
//! | [`Compact`] | 5 to 8 bytes | never | with probability about n / 2^bits |
//! | [`Bitstate`] | a few bits | never | with probability about (fill)^k |
//!
//! [`SharedExact`] is the exact store that many workers fill at once ([`Shared`]): its bytes + about 22. [`SharedBitstate`]
//! is the bit array that many workers set, each by a view of its own.
//!
//! The two lossy ones only [`Marks`] states: they cannot give a state back. [`Lossy`] makes a [`Store`] of them by
//! keeping the path (and the other irreplaceable states) exactly, so that a cycle is never invented by a collision.
//! [`Replacing`] is no [`Marks`]: a search that relies on marks staying, such as breadth-first search, does not
//! compile with it. [`Retains`] says the same of a [`Store`], [`TwoMarks`] is for searches that go over the states
//! twice, and [`Numbers`] for those that count them.

mod bitstate;
mod cells;
mod compact;
mod distinct;
mod exact;
mod lossy;
mod pages;
mod replacing;
mod shared;
mod shared_bitstate;
mod shared_exact;
pub(crate) mod sync;
mod tree;
mod two;

pub use bitstate::Bitstate;
pub use compact::Compact;
pub use distinct::Distinct;
pub use exact::{Exact, Numbered};
pub use lossy::Lossy;
pub use replacing::{Replacement, Replacing};
pub use shared::{Full, Noted, Shared};
pub use shared_bitstate::{SharedBits, SharedBitstate};
pub use shared_exact::{ArenaWorker, SharedExact};
pub use tree::{Tree, TreeKey, TreeWorker};
pub use two::{Pair, SecondMarks, TwoMarks, TwoRetained};

use crate::verdict::{Coverage, Limit};

/// In which of the paper's four sets a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// On the current path.
    #[doc(alias = "St")]
    Path = 0,
    /// Met, and to be explored later by a search of its own.
    #[doc(alias = "N")]
    Needed = 1,
    /// To be kept for good.
    #[doc(alias = "P")]
    Permanent = 2,
    /// Explored; the only states that may be replaced.
    #[doc(alias = "V")]
    Visited = 3,
}

impl Status {
    fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Status::Path,
            1 => Status::Needed,
            2 => Status::Permanent,
            _ => Status::Visited,
        }
    }
}

/// Where a state lies in a store; valid as long as the state is not `Visited`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ref(pub u64);

impl Ref {
    /// The reference of a state that the store knows but cannot give back.
    pub const NONE: Ref = Ref(u64::MAX);
}

/// A state that a store already holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its set.
    pub status: Status,
    /// Where it lies, or [`Ref::NONE`].
    pub at: Ref,
}

/// What became of a state offered to [`Store::visit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// It was new and is now on the path.
    New(Ref),
    /// It was there already.
    Known(Known),
}

/// The circumstances of a visit.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The most bytes the store may occupy from now on.
    pub bytes: usize,
    /// Length of the path, for stores whose replacement looks at it.
    pub depth: usize,
}

impl Room {
    /// No limit.
    pub const UNLIMITED: Room = Room { bytes: usize::MAX, depth: 0 };
}

/// What every memory of states can do, whatever it forgets or confuses.
pub trait States {
    /// What is computed once from a state's bytes and then used for every look-up of it, in any store of this type.
    type Hash: Copy;

    /// The hash of a state.
    fn hash(&self, state: &[u8]) -> Self::Hash;

    /// Tells the processor that the state with this hash will be looked up soon.
    fn prefetch(&self, hash: Self::Hash);

    /// Tells the processor that the bytes of the state with this hash and length will be compared with those that the
    /// store has, if any. To be called some time after [`prefetch`](Self::prefetch): it reads what that has fetched.
    fn prefetch_bytes(&self, _hash: Self::Hash, _len: usize) {}

    /// The part of the hash that says where to look: four bytes that a search can afford to keep for each state that it
    /// puts off, so as to have it fetched in time.
    fn hint(&self, _hash: Self::Hash) -> u32 {
        0
    }

    /// As [`prefetch`](Self::prefetch), as well as the hint tells.
    fn prefetch_hint(&self, _hint: u32) {}

    /// As [`prefetch_bytes`](Self::prefetch_bytes), as well as the hint tells.
    fn prefetch_hint_bytes(&self, _hint: u32) {}

    /// States now held (for lossy stores: states found new).
    fn len(&self) -> u64;

    /// Whether nothing was ever put in.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory occupied.
    fn bytes(&self) -> usize;

    /// States put in so far, repetitions included.
    fn insertions(&self) -> u64;

    /// Forgets everything, figures included, as if nothing had ever been put in. The memory stays occupied.
    fn clear(&mut self);

    /// Distinct states put in so far; an estimate for stores that forget.
    fn distinct(&self) -> u64 {
        self.insertions()
    }

    /// States replaced so far.
    fn replacements(&self) -> u64 {
        0
    }

    /// How full the memory is, where its size is fixed.
    fn fill(&self) -> Option<f64> {
        None
    }

    /// How much a finished search over this memory has seen.
    fn coverage(&self) -> Coverage {
        Coverage::Exhaustive
    }
}

/// A memory that only marks states, and never loses a mark.
pub trait Marks: States {
    /// Whether the state is marked.
    fn is_marked(&self, state: &[u8], hash: Self::Hash) -> bool;

    /// Marks the state; true if it was not marked before.
    ///
    /// # Errors
    /// The limit that leaves no room for it.
    fn mark(&mut self, state: &[u8], hash: Self::Hash, room: Room) -> Result<bool, Limit>;
}

/// The paper's memory of states with its four sets.
pub trait Store: States {
    /// Looks a state up.
    #[doc(alias = "search")]
    fn find(&mut self, state: &[u8], hash: Self::Hash) -> Option<Known>;

    /// Looks a state up and, if it is new, puts it on the path, replacing a visited state if there is no room.
    ///
    /// # Errors
    /// The limit that leaves no room for it.
    fn visit(&mut self, state: &[u8], hash: Self::Hash, room: Room) -> Result<Visit, Limit>;

    /// Moves a state that is not `Visited` to another set.
    fn set_status(&mut self, at: Ref, status: Status);

    /// Copies a state that is not `Visited` to `out`, replacing what was there.
    fn read(&self, at: Ref, out: &mut Vec<u8>);
}

/// A store that forgets no visited state, for searches that would not end, or not be right, if one were entered twice.
pub trait Retains: Store {}

/// A store that keeps a number for each of its states, 0 at first. Its references stay valid for ever.
pub trait Numbers: Retains {
    /// The number of the state that lies there.
    fn number(&self, at: Ref) -> u32;

    /// Gives the state that lies there a number.
    fn set_number(&mut self, at: Ref, number: u32);
}

/// A store that keeps for each of its states which processes sleep there ([`crate::search::sleeping`]), none at first.
pub trait Sleeps: Store {
    /// The processes it can keep.
    const PROCESSES: u32;

    /// Who sleeps in the state that lies there, visited or not.
    fn asleep(&self, at: Ref) -> u32;

    /// Says who does.
    fn set_asleep(&mut self, at: Ref, processes: u32);

    /// Puts a visited state back on the path, which was found just now.
    fn reopen(&mut self, at: Ref);
}

/// The 64-bit hash of a state that all exact stores use.
#[inline]
pub fn hash64(state: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(state)
}

/// Maps a hash evenly to `0..n` by its high bits, for any `n`.
#[inline]
pub(crate) fn spread(hash: u64, n: usize) -> usize {
    ((u128::from(hash) * n as u128) >> 64) as usize
}

/// Asks for the cache line at `slice[index]`.
#[inline]
pub fn prefetch_line<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: a prefetch has no effect on memory and does not fault, whatever the address; the pointer is computed
    // with wrapping arithmetic and never dereferenced.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch(slice.as_ptr().wrapping_add(index).cast::<i8>(), _MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
