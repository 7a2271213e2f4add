//! The gate at which workers wait for levels that are worth sharing.
//!
//! The leader opens the gate for a level, workers enter, and the leader closes the gate and waits for those who are
//! inside. A worker that wakes up late finds the gate closed and has delayed nobody. A level that is too thin to share
//! is never announced, so that deep, thin graphs cost no synchronisation at all.

use crate::search::parts::held::LOOKS;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

pub(super) struct Gate {
    /// The number of the level above [`OPEN`], [`FINISHED`] and how many helpers are inside.
    state: AtomicU64,
    parked: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
}

const OPEN: u64 = 1 << 31;
const FINISHED: u64 = 1 << 30;
const INSIDE: u64 = FINISHED - 1;
/// A helper that is inside; it leaves when this is dropped, also when it panics.
pub(super) struct Inside<'g> {
    gate: &'g Gate,
    pub(super) level: u64,
}

impl Gate {
    pub(super) fn new() -> Self {
        Self {
            state: AtomicU64::new(0),
            parked: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Waits until the gate is open for another level than the last one; none when the walk is over.
    pub(super) fn enter(&self, last: u64) -> Option<Inside<'_>> {
        let mut looks = 0;
        loop {
            let state = self.state.load(Ordering::SeqCst);
            if state & FINISHED != 0 {
                return None;
            }
            if state & OPEN != 0 && state >> 32 != last {
                let next = self.state.compare_exchange(state, state + 1, Ordering::SeqCst, Ordering::SeqCst);
                if next.is_ok() {
                    return Some(Inside { gate: self, level: state >> 32 });
                }
                continue;
            }
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                self.park(state);
            }
        }
    }

    /// Sleeps unless the state has changed.
    fn park(&self, state: u64) {
        let held = self.lock.lock().expect("nobody panics with it");
        // Either the leader sees that somebody is parked, or this sees what the leader has changed.
        self.parked.fetch_add(1, Ordering::SeqCst);
        if self.state.load(Ordering::SeqCst) == state {
            drop(self.wake.wait(held).expect("nobody panics with it"));
        }
        self.parked.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake(&self) {
        if self.parked.load(Ordering::SeqCst) > 0 {
            let _held = self.lock.lock().expect("nobody panics with it");
            self.wake.notify_all();
        }
    }

    /// Lets helpers in.
    pub(super) fn open(&self) {
        let level = (self.state.load(Ordering::SeqCst) >> 32) + 1;
        self.state.store(level << 32 | OPEN, Ordering::SeqCst);
        self.wake();
    }

    /// Lets nobody in any more, and waits for those inside.
    pub(super) fn close(&self) {
        self.state.fetch_and(!OPEN, Ordering::SeqCst);
        let mut looks = 0;
        while self.state.load(Ordering::SeqCst) & INSIDE != 0 {
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }

    /// Sends everybody home.
    pub(super) fn finish(&self) {
        self.state.fetch_or(FINISHED, Ordering::SeqCst);
        self.wake();
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.gate.state.fetch_sub(1, Ordering::SeqCst);
    }
}
