//! The set of root keys: one word per state, in a hash table that stays nearly full.
//!
//! Keys are mixed by a bijection, so that the key itself is its hash and a slot needs nothing but the key: zero is
//! free. Linear probing, one compare-exchange to insert a key, home slots in the order of the keys. Probing does not
//! wrap around at the end of the table: a tail after the last home slot takes what does not fit.
//!
//! Because homes are ordered, the table grows *in place*: from the end to the beginning, each cluster of occupied slots
//! is taken out and inserted again between where it began and the new end. So growing needs no second table, and can be
//! done in small steps: by a fifth each time, from a load of 2/3 to one of 4/5, which is 10 to 12 bytes per state. A
//! factor of two would need 10 to 20. The steps together move each key about five times, in sequence, at 2 to 3 ns.

use super::grow::lengthen;
use crate::store::sync::{AtomicBool, AtomicU64, Ordering};
use crate::store::{Full, prefetch_line, spread};

/// Slots behind the last home slot. At a load of 4/5 the longest way of a key in a table of a thousand million is about
/// 900 slots.
const TAIL: usize = 4096;
/// A small table doubles.
const SMALL: usize = 1 << 16;
/// Counters of keys, so that workers do not fight for one.
const COUNTERS: usize = 32;

pub(super) struct Roots {
    slots: Vec<AtomicU64>,
    homes: usize,
    counters: Vec<Counter>,
    /// A key found no slot.
    full: AtomicBool,
}

/// On a cache line of its own.
#[repr(align(128))]
struct Counter(AtomicU64);

impl Roots {
    pub(super) fn new(homes: usize) -> Self {
        let counters = (0..COUNTERS).map(|_| Counter(AtomicU64::new(0))).collect();
        let mut roots = Self { slots: Vec::new(), homes: 0, counters, full: AtomicBool::new(false) };
        roots.grow(homes.max(2));
        roots
    }

    #[inline]
    pub(super) fn prefetch(&self, mixed: u64) {
        prefetch_line(&self.slots, spread(mixed, self.homes));
    }

    /// Puts a key in; whether it was not there. `worker` is any number, best a different one for each worker.
    #[inline]
    pub(super) fn insert(&self, mixed: u64, worker: usize) -> Result<bool, Full> {
        debug_assert_ne!(mixed, 0);
        let home = spread(mixed, self.homes);
        let last = self.slots.len().min(home + TAIL);
        for slot in &self.slots[home..last] {
            let mut found = slot.load(Ordering::Relaxed);
            if found == 0 {
                // Nothing hangs on a key but the nodes of its tree. The worker that put it in knows them; another one
                // is given the key by it, through whatever hands states from worker to worker.
                match slot.compare_exchange(0, mixed, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        self.counters[worker % COUNTERS].0.fetch_add(1, Ordering::Relaxed);
                        return Ok(true);
                    }
                    Err(faster) => found = faster,
                }
            }
            if found == mixed {
                return Ok(false);
            }
        }
        self.full.store(true, Ordering::Relaxed);
        Err(Full)
    }

    pub(super) fn len(&self) -> u64 {
        self.counters.iter().map(|counter| counter.0.load(Ordering::Relaxed)).sum()
    }

    /// Whether a key found no slot since the table last grew.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Whether probing begins to take long.
    pub(super) fn is_crowded(&self) -> bool {
        self.len() > self.homes as u64 / 5 * 4
    }

    /// Whether probing has become so slow that no more should be put in.
    pub(super) fn is_packed(&self) -> bool {
        self.len() > self.homes as u64 / 10 * 9
    }

    pub(super) fn homes(&self) -> usize {
        self.homes
    }

    /// The next size in the usual steps.
    pub(super) fn next_homes(&self) -> usize {
        if self.homes < SMALL { self.homes * 2 } else { self.homes + self.homes / 5 }
    }

    pub(super) fn bytes(&self) -> usize {
        self.slots.len() * 8
    }

    /// Bytes of a table of so many homes.
    pub(super) fn bytes_for(homes: usize) -> usize {
        (homes + tail(homes)) * 8
    }

    /// Makes the table one of so many homes, in place.
    pub(super) fn grow(&mut self, homes: usize) {
        debug_assert!(homes >= self.homes);
        let old = self.slots.len();
        lengthen(&mut self.slots, old.max(homes + tail(homes)));
        self.homes = homes;
        self.full.store(false, Ordering::Relaxed);
        let mut cluster = Vec::new();
        let mut end = old;
        while end > 0 {
            if self.slots[end - 1].load(Ordering::Relaxed) == 0 {
                end -= 1;
                continue;
            }
            // A cluster's keys have their homes, old and new, at its beginning or later: what is before it, and has yet
            // to be lifted out, is not touched.
            while end > 0 && self.slots[end - 1].load(Ordering::Relaxed) != 0 {
                end -= 1;
                cluster.push(self.slots[end].load(Ordering::Relaxed));
                self.slots[end].store(0, Ordering::Relaxed);
            }
            // The first slot's key first, so that keys stay near the order they are in.
            for mixed in cluster.drain(..).rev() {
                self.put_back(mixed);
            }
        }
    }

    fn put_back(&mut self, mixed: u64) {
        let mut slot = spread(mixed, self.homes);
        while slot < self.slots.len() && self.slots[slot].load(Ordering::Relaxed) != 0 {
            slot += 1;
        }
        if slot == self.slots.len() {
            // A tail that is too short only happens in tables of a few slots.
            self.slots.push(AtomicU64::new(0));
        }
        self.slots[slot].store(mixed, Ordering::Relaxed);
    }

    /// All keys, in the order of the table.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.slots.iter().map(|slot| slot.load(Ordering::Relaxed)).filter(|&mixed| mixed != 0)
    }

    /// Forgets all keys, and takes this many homes.
    pub(super) fn reset(&mut self, homes: usize) {
        let size = homes + tail(homes);
        if size < self.slots.len() {
            self.slots.truncate(size);
            self.slots.shrink_to_fit();
        }
        for slot in &self.slots {
            slot.store(0, Ordering::Relaxed);
        }
        for counter in &self.counters {
            counter.0.store(0, Ordering::Relaxed);
        }
        self.homes = 0;
        self.grow(homes);
    }
}

fn tail(homes: usize) -> usize {
    homes.min(TAIL)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::mix;
    use super::*;
    use crate::rng::Rng;
    use std::collections::HashSet;

    /// Grown by the least at every occasion, the table keeps all keys and invents none.
    #[test]
    fn growing_in_place_loses_nothing() {
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let mut roots = Roots::new(2 + rng.below(5) as usize);
            let mut model = HashSet::new();
            while model.len() < 3000 {
                // Some seeds crowd a few homes near the beginning, the middle or the end.
                let key = match seed % 4 {
                    0 => mix(rng.below(4000) + 1),
                    1 => rng.below(4000) + 1,
                    2 => u64::MAX - rng.below(4000),
                    _ => (1 << 63) + rng.below(4000),
                };
                match roots.insert(key, seed as usize) {
                    Ok(new) => assert_eq!(new, model.insert(key), "seed {seed}"),
                    Err(Full) => roots.grow(roots.homes() + 1 + rng.below(50) as usize),
                }
                if roots.is_crowded() && seed % 3 > 0 {
                    roots.grow(roots.next_homes());
                }
                assert_eq!(roots.len(), model.len() as u64);
            }
            assert_eq!(roots.iter().collect::<HashSet<_>>(), model, "seed {seed}");
            assert!(model.iter().all(|&key| roots.insert(key, 0) == Ok(false)), "seed {seed}");
            roots.reset(100);
            assert_eq!((roots.len(), roots.iter().count()), (0, 0));
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// Two workers bring the same key and one more each, all with the same home: of two that bring a key one is told
    /// that it is new, and all three are found afterwards.
    #[test]
    fn loom_one_worker_is_told_new() {
        loom::model(|| {
            let roots = Arc::new(Roots::new(2));
            let put = |roots: &Roots, keys: [u64; 2], worker| {
                keys.map(|key| roots.insert(key, worker).expect("room"))
            };
            let other = {
                let roots = Arc::clone(&roots);
                thread::spawn(move || put(&roots, [1, 2], 1))
            };
            let [one, three] = put(&roots, [1, 3], 0);
            let [other_one, two] = other.join().expect("no panic");
            assert!(one != other_one && two && three);
            assert_eq!(roots.len(), 3);
            assert!([1, 2, 3].iter().all(|&key| roots.insert(key, 0) == Ok(false)));
        });
    }
}
