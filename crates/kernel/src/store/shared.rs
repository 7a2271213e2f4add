//! Shared stores: memories of states that many workers fill at once.
//!
//! The workers of a search share the store by a read-write lock: while they explore they hold it for reading, and all
//! operations are lock-free then. When the store is too small, one worker takes the lock for writing and grows the
//! store: tables move only while nobody reads them. A worker holds the lock for a batch of states, so that the lock
//! itself costs nothing measurable.

use super::Ref;
use super::sync::AtomicU64;
use crate::verdict::Limit;

/// The store must grow before anything can be put in: give up the lock, let somebody call [`Shared::grow`], and try
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A memory of states that never forgets and takes no state for another.
pub trait Shared: Send + Sync {
    /// What a worker keeps for itself: scratch space, and pieces of memory only it fills.
    type Worker: Send;
    /// What is computed once from a state's bytes and then used for its look-up.
    type Key: Copy;

    /// For a new worker.
    fn worker(&self) -> Self::Worker;

    /// Reads a state back; it is now the one whose successors this worker looks up, which a store may use: successors
    /// mostly resemble it.
    fn read(&self, worker: &mut Self::Worker, at: Ref, out: &mut Vec<u8>);

    /// The same, where the state may be looked at where it lies; `buffer` is for stores that have to put it together.
    #[inline]
    fn state<'a>(&'a self, worker: &mut Self::Worker, at: Ref, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        self.read(worker, at, buffer);
        buffer
    }

    /// The key of a state. Keys stay valid when the store grows.
    ///
    /// # Errors
    /// If there is no room for parts of the state.
    fn key(&self, worker: &mut Self::Worker, state: &[u8]) -> Result<Self::Key, Full>;

    /// Tells the processor that this key will be looked up soon.
    fn prefetch(&self, key: Self::Key);

    /// Looks at where the key leads, which was prefetched a while ago: where there may be a state that has the key. It is
    /// prefetched in its turn, for [`Shared::is_at`].
    fn locate(&self, _key: Self::Key) -> Option<Ref> {
        None
    }

    /// Whether this state is the one that was [located](Shared::locate). If it is, it need not be put in.
    fn is_at(&self, _at: Ref, _state: &[u8]) -> bool {
        false
    }

    /// Puts a state in that was reached from `from`; where it lies if it is new. Of several workers that bring the same
    /// state, one is told that it is new. References stay valid when the store grows.
    ///
    /// # Errors
    /// If there is no room.
    fn insert(
        &self,
        worker: &mut Self::Worker,
        state: &[u8],
        key: Self::Key,
        from: Ref,
    ) -> Result<Option<Ref>, Full>;

    /// From where a state was first reached, if the store keeps that.
    fn parent(&self, at: Ref) -> Option<Ref>;

    /// Whether it is time to grow, before inserting becomes slow.
    fn wants_growth(&self) -> bool;

    /// Makes room, within so many bytes in all.
    ///
    /// # Errors
    /// If that is not enough.
    fn grow(&mut self, bytes: usize) -> Result<(), Limit>;

    /// States held.
    fn len(&self) -> u64;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory occupied.
    fn bytes(&self) -> usize;
}

/// A shared store with some words beside each state, 0 at first, in which a search notes what it knows of the state. They
/// are atomics and belong to the search: the store never looks at them, and they stay where they are when it grows.
pub trait Noted: Shared {
    /// How many words there are beside each state.
    const NOTES: usize;

    /// One of these words.
    fn note(&self, at: Ref, which: usize) -> &AtomicU64;

    /// Where a state with this key lies, if it is there.
    fn find(&self, state: &[u8], key: Self::Key) -> Option<Ref>;

    /// Tells the processor that the state that lies there and its notes will be looked at soon.
    fn prefetch_at(&self, _at: Ref) {}

    /// Where a state lies that was reached from `from`, and whether it is new: the same as [`Shared::insert`] for who
    /// must know where the others lie too.
    ///
    /// # Errors
    /// If there is no room.
    fn place(
        &self,
        worker: &mut Self::Worker,
        state: &[u8],
        key: Self::Key,
        from: Ref,
    ) -> Result<(Ref, bool), Full>;
}
