//! Work that workers have given away, and which workers are idle. When all are idle and the pool is empty, the search
//! is over: only a working worker finds more states.

use crate::search::parts::held::UNBROKEN;
use crate::store::Ref;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// States that somebody is to see to.
#[derive(Default)]
pub(super) struct Share {
    /// States to be expanded.
    pub(super) outside: Vec<Ref>,
    /// States from which the inside is to be searched.
    pub(super) seeds: Vec<Ref>,
}

pub(super) struct Pool {
    shares: Mutex<Shares>,
    /// How many are idle, and how many shares there are, for those who would rather not lock.
    idle: AtomicUsize,
    waiting: AtomicUsize,
    done: AtomicBool,
    /// By worker: the seed of the search that it is in.
    searching: Vec<AtomicU64>,
}

#[derive(Default)]
struct Shares {
    shares: Vec<Share>,
    idle: usize,
}

/// What there is for an idle worker.
pub(super) enum Offer {
    /// States that nobody else will see to.
    Share(Share),
    /// The search that another worker is in.
    Join(Ref),
    /// Nothing yet.
    Wait,
    /// Nothing any more.
    Done,
}

const NOWHERE: u64 = u64::MAX;

impl Pool {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            shares: Mutex::default(),
            idle: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            done: AtomicBool::new(false),
            searching: (0..workers).map(|_| AtomicU64::new(NOWHERE)).collect(),
        }
    }

    /// Whether somebody is idle and finds nothing here.
    pub(super) fn is_wanting(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > self.waiting.load(Ordering::Relaxed)
    }

    pub(super) fn give(&self, share: Share) {
        let mut shares = self.shares.lock().expect(UNBROKEN);
        shares.shares.push(share);
        self.waiting.store(shares.shares.len(), Ordering::Relaxed);
    }

    /// A worker has nothing to do any more.
    pub(super) fn rest(&self) {
        let mut shares = self.shares.lock().expect(UNBROKEN);
        shares.idle += 1;
        if shares.idle == self.searching.len() && shares.shares.is_empty() {
            self.done.store(true, Ordering::Release);
        }
        self.idle.store(shares.idle, Ordering::Relaxed);
    }

    /// What there is for a worker that rests. It rests no longer if there is something.
    pub(super) fn offer(&self, number: usize, finished: impl Fn(Ref) -> bool) -> Offer {
        let somewhere = self.waiting.load(Ordering::Relaxed) > 0;
        let others = self.searching.iter().enumerate().filter(|(other, _)| *other != number);
        let seed = others
            .map(|(_, seed)| seed.load(Ordering::Acquire))
            .find(|&seed| seed != NOWHERE && !finished(Ref(seed)));
        if !somewhere && seed.is_none() && !self.done.load(Ordering::Acquire) {
            // Without the lock: those who work must not find it taken, since to be woken takes longer than the work.
            return Offer::Wait;
        }
        // All others may have come to rest since.
        let mut shares = self.shares.lock().expect(UNBROKEN);
        if self.done.load(Ordering::Acquire) {
            return Offer::Done;
        }
        let offer = match (shares.shares.pop(), seed) {
            (Some(share), _) => Offer::Share(share),
            (None, Some(seed)) if !somewhere => Offer::Join(Ref(seed)),
            _ => return Offer::Wait,
        };
        shares.idle -= 1;
        self.idle.store(shares.idle, Ordering::Relaxed);
        self.waiting.store(shares.shares.len(), Ordering::Relaxed);
        offer
    }

    /// A worker searches from this seed now, or from none.
    pub(super) fn search(&self, number: usize, seed: Option<Ref>) {
        self.searching[number].store(seed.map_or(NOWHERE, |seed| seed.0), Ordering::Release);
    }
}
