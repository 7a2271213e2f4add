//! A shared store during one parallel search: how it grows, how all workers are stopped, and what everything together
//! may occupy.
//!
//! While workers explore, each holds a read lock on the store for a batch of states at a time. A worker that finds the
//! store full releases it, takes the write lock and grows the store; the others notice the request and release their
//! locks.

use crate::budget::Budget;
use crate::search::End;
use crate::store::Shared;
use crate::verdict::Limit;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub(in crate::search) struct Held<S> {
    pub(in crate::search) store: RwLock<S>,
    /// How often the store has grown.
    grown: AtomicU64,
    /// How many wait for the others to let go of the store. A flag would not do: the first to have had the store would take
    /// back what the second has just said, who would then sleep for as long as a depth-first search keeps the store.
    wanted: AtomicUsize,
    /// Everybody is to stop.
    halt: AtomicBool,
    limit: Mutex<Option<Limit>>,
    /// Bytes of queues and paths, and of whoever else shares the grant ([`Held::sharing`]).
    pub(in crate::search) beside: Arc<AtomicUsize>,
    pub(in crate::search) memory: usize,
    pub(in crate::search) states: u64,
}

/// The search is to end: a limit was reached, or somebody has seen enough.
#[derive(Debug)]
pub(in crate::search) struct Halt;

pub(in crate::search) type Reading<'c, S> = RwLockReadGuard<'c, S>;

/// A lock is broken only if a worker has panicked, and then so does everybody.
pub(in crate::search) const UNBROKEN: &str = "no worker has panicked";

/// How often a waiting thread looks before it lets others have the processor: some hundreds of microseconds, which is what
/// parking and waking cost on a virtual machine. With a sixteenth of it two threads gained a fifth less on some models.
pub(in crate::search) const LOOKS: u32 = 16_000;

impl<S: Shared> Held<S> {
    pub(in crate::search) fn new(store: S, budget: &Budget<'_>) -> Self {
        Self {
            store: RwLock::new(store),
            grown: AtomicU64::new(0),
            wanted: AtomicUsize::new(0),
            halt: AtomicBool::new(false),
            limit: Mutex::new(None),
            beside: Arc::default(),
            memory: budget.memory,
            states: budget.states,
        }
    }

    /// Counts in `beside`, to which others add what they occupy of the same grant.
    pub(in crate::search) fn sharing(self, beside: Arc<AtomicUsize>) -> Self {
        Self { beside, ..self }
    }

    pub(in crate::search) fn halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Tells everybody to stop.
    pub(in crate::search) fn halt(&self) -> Halt {
        self.halt.store(true, Ordering::Relaxed);
        Halt
    }

    /// Tells everybody to stop because of a limit.
    pub(in crate::search) fn stop(&self, limit: Limit) -> Halt {
        self.limit.lock().expect(UNBROKEN).get_or_insert(limit);
        self.halt()
    }

    /// The limit that was reached, if one was.
    pub(in crate::search) fn limit(&self) -> Option<End> {
        self.limit.lock().expect(UNBROKEN).map(End::Limited)
    }

    /// Whether somebody wants the store for himself.
    pub(in crate::search) fn wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) > 0
    }

    /// The store, to be changed. The others let go of it within microseconds, but to be woken takes a thread longer than
    /// that, on virtual machines a thousand times; so this looks again and again for a while.
    fn alone(&self) -> RwLockWriteGuard<'_, S> {
        self.wanted.fetch_add(1, Ordering::Relaxed);
        let at_once = (0..LOOKS).find_map(|_| {
            std::hint::spin_loop();
            self.store.try_write().ok()
        });
        let store = at_once.unwrap_or_else(|| self.store.write().expect(UNBROKEN));
        self.wanted.fetch_sub(1, Ordering::Relaxed);
        store
    }

    /// The store, to be filled together with the others, once nobody wants it for himself.
    pub(in crate::search) fn reading(&self) -> Reading<'_, S> {
        for _ in 0..LOOKS {
            if !self.wanted()
                && let Ok(store) = self.store.try_read()
            {
                return store;
            }
            std::hint::spin_loop();
        }
        self.store.read().expect(UNBROKEN)
    }

    /// Gives the store up until it has grown.
    #[cold]
    pub(in crate::search) fn make_room<'c>(&'c self, store: Reading<'c, S>) -> Result<Reading<'c, S>, Halt> {
        let seen = self.grown.load(Ordering::Relaxed);
        drop(store);
        self.grow(seen)?;
        Ok(self.reading())
    }

    /// Makes the store grow, unless somebody has done so since it had grown `seen` times.
    fn grow(&self, seen: u64) -> Result<(), Halt> {
        let mut store = self.alone();
        if self.halted() {
            return Err(Halt);
        }
        if self.grown.load(Ordering::Relaxed) != seen {
            return Ok(());
        }
        let bytes = self.memory.saturating_sub(self.beside.load(Ordering::Relaxed));
        store.grow(bytes).map_err(|limit| self.stop(limit))?;
        self.grown.store(seen + 1, Ordering::Relaxed);
        Ok(())
    }

    /// So many more bytes of queues and paths are wanted beside a store of `store_bytes`.
    pub(in crate::search) fn occupy(&self, bytes: usize, store_bytes: usize) -> Result<(), Halt> {
        let beside = self.beside.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if store_bytes.saturating_add(beside) > self.memory {
            self.beside.fetch_sub(bytes, Ordering::Relaxed);
            return Err(self.stop(Limit::Memory));
        }
        Ok(())
    }
}

/// Does something when it is dropped, however that comes about.
pub(in crate::search) struct AtEnd<F: FnMut()>(pub(in crate::search) F);

impl<F: FnMut()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
