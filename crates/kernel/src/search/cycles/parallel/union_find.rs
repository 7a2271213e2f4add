//! Union-find: the sets of states that workers have found to be in one component, in four words beside each state.
//!
//! A set is a tree: each state points to another one of its set, and the root to none. The root's words describe the
//! set: which workers have entered it, the marks of the transitions inside it, whether it is complete, and the list of
//! its unfinished states, which is a ring of which the root knows the last one.
//!
//! Bloemen, Laarman and van de Pol ("Multi-core on-the-fly SCC decomposition", 2016) do all of this without locks. Here
//! a root can be locked, by a bit, for the few instructions of a change: uniting two sets, entering a set, taking a
//! state from the list. Reading is lock-free, and most accesses read: an edge to a state whose set is complete, or has
//! been entered. Two workers compete for a lock only when they change the same set, and a lock is held only while three
//! words are changed.
//!
//! **What a reader may rely on.** Bits are only added to the words of a root, and a root that becomes part of another
//! set has passed them on before it points there. So a worker that sees its bit has entered the set; one that does not
//! see it at a state that is no longer a root finds out when it takes the lock, and looks again.

use crate::store::sync::{AtomicU64, Ordering, pause};
use crate::store::{Noted, Ref};

/// The words of a state that the sets are made of.
pub(super) const WORDS: usize = 4;
const SET: usize = 0;
const WORKERS: usize = 1;
const MARKS: usize = 2;
const RING: usize = 3;

/// Of the first word: somebody changes the set; the set is complete; this is no root, and the rest tells where it points.
/// Of a root the rest tells the last state of the ring.
const LOCKED: u64 = 1 << 63;
const DEAD: u64 = 1 << 62;
const LINKED: u64 = 1 << 61;
/// Of the last word: somebody has seen to all transitions of the state. The rest tells the next state of the ring.
const DONE: u64 = 1 << 63;
/// A reference, plus 1, or 0 for the state itself.
const PLACE: u64 = (1 << 40) - 1;

/// What a worker finds when it wants to enter a set.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It is the first time.
    New,
    /// It has done so before.
    Entered,
    /// The set is complete.
    Dead,
}

/// What has [`WORDS`] words for each state: a store with notes, or less in tests.
pub(super) trait Words {
    fn word(&self, at: Ref, which: usize) -> &AtomicU64;
}

impl<S: Noted> Words for S {
    fn word(&self, at: Ref, which: usize) -> &AtomicU64 {
        self.note(at, which)
    }
}

/// The sets of the states of a store.
pub(super) struct Sets<'s, S>(pub(super) &'s S);

impl<S: Words> Sets<'_, S> {
    fn word(&self, at: Ref, which: usize) -> &AtomicU64 {
        self.0.word(at, which)
    }

    fn set(&self, at: Ref) -> u64 {
        self.word(at, SET).load(Ordering::Acquire)
    }

    /// The root of a state's set, for now. On the way states are made to point farther.
    pub(super) fn root(&self, mut at: Ref) -> Ref {
        loop {
            let word = self.set(at);
            if word & LINKED == 0 {
                return at;
            }
            let above = place(word, at);
            let farther = self.set(above);
            if farther & LINKED == 0 {
                return above;
            }
            let to = linked(place(farther, above));
            // If it fails, somebody else has made it point farther.
            let _ = self.word(at, SET).compare_exchange(word, to, Ordering::AcqRel, Ordering::Relaxed);
            at = above;
        }
    }

    /// Whether two states are known to be in one component.
    pub(super) fn same(&self, a: Ref, b: Ref) -> bool {
        loop {
            let (root, other) = (self.root(a), self.root(b));
            if root == other {
                return true;
            }
            // If the first is a root still, it was one while the other was looked for.
            if self.set(root) & LINKED == 0 {
                return false;
            }
        }
    }

    pub(super) fn is_dead(&self, at: Ref) -> bool {
        self.set(self.root(at)) & DEAD != 0
    }

    /// Locks a root; false if it is none any more.
    fn lock(&self, root: Ref) -> bool {
        let word = self.word(root, SET);
        let mut looks = 0u32;
        loop {
            let old = word.load(Ordering::Relaxed);
            if old & LINKED != 0 {
                return false;
            }
            let free = old & LOCKED == 0;
            if free
                && word.compare_exchange_weak(old, old | LOCKED, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                return true;
            }
            looks += 1;
            pause(looks);
        }
    }

    /// Locks the root of a state's set.
    fn lock_root(&self, at: Ref) -> Ref {
        loop {
            let root = self.root(at);
            if self.lock(root) {
                return root;
            }
        }
    }

    /// Ends the change of a root, whose first word is this from now on.
    fn unlock(&self, root: Ref, word: u64) {
        self.word(root, SET).store(word & !LOCKED, Ordering::Release);
    }

    /// Wants to enter the set of a state for the worker with this bit.
    pub(super) fn claim(&self, at: Ref, worker: u64) -> Claim {
        loop {
            let root = self.root(at);
            let word = self.set(root);
            if word & (DEAD | LINKED) == DEAD {
                return Claim::Dead;
            }
            if self.word(root, WORKERS).load(Ordering::Acquire) & worker != 0 {
                return Claim::Entered;
            }
            if !self.lock(root) {
                continue;
            }
            let word = self.set(root);
            let claim = if word & DEAD != 0 {
                Claim::Dead
            } else {
                // Meanwhile a set in which this worker is may have become part of this one.
                let inside = self.word(root, WORKERS).fetch_or(worker, Ordering::AcqRel) & worker != 0;
                if inside { Claim::Entered } else { Claim::New }
            };
            self.unlock(root, word);
            return claim;
        }
    }

    /// Adds marks of transitions inside the set of a state; all that it has.
    pub(super) fn add_marks(&self, at: Ref, marks: u64) -> u64 {
        let root = self.root(at);
        let old = self.word(root, MARKS).load(Ordering::Acquire);
        if old & marks == marks {
            return old;
        }
        let root = self.lock_root(at);
        let all = self.word(root, MARKS).fetch_or(marks, Ordering::AcqRel) | marks;
        self.unlock(root, self.set(root));
        all
    }

    /// Makes the sets of two states one, which a transition with these marks connects.
    pub(super) fn unite(&self, a: Ref, b: Ref, marks: u64) {
        loop {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                self.add_marks(a, marks);
                return;
            }
            // In one order, so that no two workers wait for each other.
            let (low, high) = if a.0 < b.0 { (a, b) } else { (b, a) };
            if !self.lock(low) {
                continue;
            }
            if !self.lock(high) {
                self.unlock(low, self.set(low));
                continue;
            }
            // The older state, which has been met more often, stays the root: it lies lower as a rule.
            let (under, root) = (high, low);
            let (word, root_word) = (self.set(under), self.set(root));
            debug_assert_eq!((word | root_word) & DEAD, 0, "a complete component does not grow");
            let workers = self.word(under, WORKERS).load(Ordering::Acquire);
            self.word(root, WORKERS).fetch_or(workers, Ordering::AcqRel);
            let more = self.word(under, MARKS).load(Ordering::Acquire) | marks;
            self.word(root, MARKS).fetch_or(more, Ordering::AcqRel);
            // Two rings become one when their last states exchange what comes next.
            let (last, root_last) = (place(word, under), place(root_word, root));
            let (next, root_next) = (self.next(last), self.next(root_last));
            self.set_next(last, root_next);
            self.set_next(root_last, next);
            self.unlock(under, linked(root));
            self.unlock(root, root_word);
            return;
        }
    }

    fn next(&self, at: Ref) -> Ref {
        place(self.word(at, RING).load(Ordering::Acquire), at)
    }

    /// Only with the lock of the set; but whether the state is done may be noted meanwhile.
    fn set_next(&self, at: Ref, next: Ref) {
        let update = |old: u64| Some(old & DONE | (next.0 + 1));
        let updated = self.word(at, RING).fetch_update(Ordering::AcqRel, Ordering::Acquire, update);
        debug_assert!(updated.is_ok(), "it always has a new value");
    }

    pub(super) fn is_done(&self, at: Ref) -> bool {
        self.word(at, RING).load(Ordering::Acquire) & DONE != 0
    }

    /// Somebody has seen to all transitions of a state; whether it is the first time.
    pub(super) fn mark_done(&self, at: Ref) -> bool {
        self.word(at, RING).fetch_or(DONE, Ordering::AcqRel) & DONE == 0
    }

    /// A state of the set of this one with which nobody is done. If there is none, the set is complete from now on.
    pub(super) fn pick(&self, at: Ref) -> Option<Ref> {
        let root = self.lock_root(at);
        let word = self.set(root);
        if word & DEAD != 0 {
            self.unlock(root, word);
            return None;
        }
        let last = place(word, root);
        loop {
            let first = self.next(last);
            if !self.is_done(first) {
                // The next to come is offered another.
                self.unlock(root, first.0 + 1);
                return Some(first);
            }
            if first == last {
                self.unlock(root, word | DEAD);
                return None;
            }
            self.set_next(last, self.next(first));
        }
    }
}

/// The state that a word of `at` tells.
fn place(word: u64, at: Ref) -> Ref {
    match word & PLACE {
        0 => at,
        other => Ref(other - 1),
    }
}

/// The first word of a state that points to another.
fn linked(to: Ref) -> u64 {
    LINKED | (to.0 + 1)
}

/// All interleavings of two workers, with at most three changes from one to the other before its time: without that bound some
/// of these take hours. The words are alone here, since each atomic of a store would be one more that loom follows.
///
/// ```console
/// $ RUSTFLAGS="--cfg loom" cargo test --release -p elnath-kernel --lib loom
/// ```
#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    /// The words of some states, each of which was entered by nobody.
    struct Table(Vec<[AtomicU64; WORDS]>);

    impl Words for Table {
        fn word(&self, at: Ref, which: usize) -> &AtomicU64 {
            &self.0[at.0 as usize][which]
        }
    }

    /// `test` is given so many states.
    fn model<const STATES: usize>(test: impl Fn(Arc<Table>, [Ref; STATES]) + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(3));
        builder.check(move || {
            let words = (0..STATES).map(|_| std::array::from_fn(|_| AtomicU64::new(0)));
            test(Arc::new(Table(words.collect())), std::array::from_fn(|number| Ref(number as u64)));
        });
    }

    /// Offers all that is left of a set.
    fn pick_all(sets: &Sets<'_, Table>, at: Ref) -> Vec<Ref> {
        let mut left: Vec<Ref> = Vec::new();
        while let Some(picked) = sets.pick(at) {
            assert!(sets.mark_done(picked), "a state that is done is not offered");
            left.push(picked);
        }
        left.sort_unstable_by_key(|at| at.0);
        left
    }

    /// Two workers that unite overlapping sets: in the end it is one, which has all workers, all marks and all states.
    #[test]
    fn loom_nothing_is_lost_when_sets_become_one() {
        model::<3>(|table, at| {
            let sets = Sets(&*table);
            for (&at, worker) in at.iter().zip([1, 2, 4]) {
                assert_eq!(sets.claim(at, worker), Claim::New);
            }
            let shared = Arc::clone(&table);
            let other = loom::thread::spawn(move || Sets(&*shared).unite(at[1], at[2], 8));
            sets.unite(at[1], at[0], 1);
            other.join().unwrap();
            assert!(sets.same(at[0], at[2]));
            assert!([1, 2, 4].iter().all(|&worker| sets.claim(at[0], worker) == Claim::Entered));
            assert_eq!(sets.add_marks(at[2], 0), 9);
            assert_eq!(pick_all(&sets, at[0]), at);
            assert!(at.iter().all(|&at| sets.is_dead(at)));
        });
    }

    /// Two workers that unite the same sets, by way of different states.
    #[test]
    fn loom_sets_become_one_only_once() {
        model::<3>(|table, at| {
            let sets = Sets(&*table);
            sets.unite(at[1], at[2], 0);
            let shared = Arc::clone(&table);
            let other = loom::thread::spawn(move || Sets(&*shared).unite(at[0], at[2], 1));
            sets.unite(at[1], at[0], 2);
            other.join().unwrap();
            assert_eq!(sets.add_marks(at[2], 0), 3);
            assert_eq!(pick_all(&sets, at[1]), at);
        });
    }

    /// A worker that enters a set while another makes it part of a larger one is known there.
    #[test]
    fn loom_who_enters_a_set_that_grows_has_entered_it() {
        model::<2>(|table, [a, b]| {
            let shared = Arc::clone(&table);
            let other = loom::thread::spawn(move || Sets(&*shared).unite(a, b, 0));
            let sets = Sets(&*table);
            assert_eq!(sets.claim(b, 1), Claim::New);
            assert_eq!(sets.claim(b, 1), Claim::Entered);
            other.join().unwrap();
            assert_eq!(sets.claim(a, 1), Claim::Entered);
        });
    }

    /// States of one set are in one set, also while it becomes part of a larger one.
    #[test]
    fn loom_who_is_together_stays_together() {
        model::<3>(|table, at| {
            Sets(&*table).unite(at[1], at[2], 0);
            let shared = Arc::clone(&table);
            let other = loom::thread::spawn(move || Sets(&*shared).unite(at[0], at[1], 0));
            assert!(Sets(&*table).same(at[1], at[2]));
            other.join().unwrap();
            assert!(Sets(&*table).same(at[0], at[2]));
        });
    }

    /// Marks that are added to a set while another makes it part of a larger one are the larger one's, and whoever is last
    /// sees all.
    #[test]
    fn loom_marks_of_a_set_that_grows_are_kept() {
        model::<2>(|table, [a, b]| {
            let shared = Arc::clone(&table);
            let other = loom::thread::spawn(move || {
                Sets(&*shared).unite(a, b, 1);
                Sets(&*shared).add_marks(a, 0)
            });
            let mine = Sets(&*table).add_marks(b, 2);
            let others = other.join().unwrap();
            assert_eq!(Sets(&*table).add_marks(a, 0), 3);
            assert!(mine == 3 || others == 3, "{mine} and {others}: nobody sees that it has all");
        });
    }

    /// Of two workers that are done with the last states of a set both find it complete, and no state is forgotten.
    #[test]
    fn loom_a_set_is_complete_when_all_is_done() {
        model::<2>(|table, [a, b]| {
            let work = |table: &Table, at: Ref| {
                let sets = Sets(table);
                while let Some(picked) = sets.pick(at) {
                    sets.mark_done(picked);
                }
                assert!(sets.is_dead(at));
            };
            Sets(&*table).unite(a, b, 0);
            let shared = Arc::clone(&table);
            let other = loom::thread::spawn(move || work(&shared, a));
            work(&table, b);
            other.join().unwrap();
            assert!([a, b].iter().all(|&at| !Sets(&*table).mark_done(at)), "everything was done");
        });
    }
}
