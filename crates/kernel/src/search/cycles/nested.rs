//! Nested depth-first search: Algorithms A and B of memory-efficient-algorithms-1992, section 3.2. Is there an
//! accepting state on a cycle?
//!
//! Both make two depth-first searches. The second starts from the accepting states in the order in which the first left
//! them (postorder), looks for a path back to its start, and never enters a state twice: what was searched without
//! success from one accepting state need not be searched again from a later one (Lemma 1). In Algorithm A,
//! [`two_passes`], the first search is complete before the second begins, and a queue holds the accepting states; one
//! mark per state is enough, but the run to the cycle must be searched for again. In Algorithm B, [`nested`], the
//! second search is made whenever the first leaves an accepting state; it needs two marks per state ([`TwoMarks`]), and
//! the run is what lies on the two paths.
//!
//! Lemma 1 is true but its printed proof is not (`docs/papers.md`, erratum 1 of this paper). Take p as the *last* state
//! on the path from f_i to f_j that was marked when f_i was entered: if p had been left by then, its successor on the
//! path would be marked too; so p is f_j itself or on the first path, and in both cases an ancestor of f_i.
//!
//! Either search may forget states that it has left, so both algorithms work with the replacing store, although the
//! paper doubts it. Let f be the accepting state on a cycle whose *first* departure is earliest. If a state of its
//! cycle had been marked from a start g, then g was left before f, reaches f, and lies on no cycle; but then every
//! state on the way from g to f, f included, was left before g: a contradiction. Forgotten marks only add exploration.
//! They may add much, since the second search is repeated from every start; so the second search should be the last one
//! to forget. States on a path are never forgotten.
//!
//! The test for a path back compares states byte for byte, so a lossy store can hide a cycle but never invent one. The
//! paper makes this test whenever a state is on top, here it is made once per edge. A start that is already marked is
//! not searched from, which by the same argument loses nothing.

use super::seek::Seek;
use crate::budget::Budget;
use crate::lasso::Lasso;
use crate::search::parts::descent::Descent;
use crate::search::parts::meter::Meter;
use crate::search::{Emptiness, End};
use crate::store::{Ref, States, Status, Store, TwoMarks, Visit};
use crate::system::{Stepper, Transition};

/// Algorithm B: the second search nested in the first.
#[doc(alias = "Algorithm B")]
pub fn nested<M: TwoMarks>(
    stepper: &mut dyn Stepper,
    memory: &mut M,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Emptiness {
    let mut second = Descent::default();
    let mut lasso = None;
    let mut first = First { stepper, descent: Descent::default(), meter: Meter::new(budget) };
    first.meter.other_store = memory.second_bytes();
    let result = first.run(memory, M::first, root, |First { stepper, descent, meter }, memory| {
        meter.nest(&descent.path, memory.first().bytes());
        let (mut store, x) = (memory.second(), &descent.state);
        let cycle =
            Seek { stepper: *stepper, store: &mut store, descent: &mut second, meter }.run(x, x, never)?;
        drop(store);
        meter.unnest(memory.second_bytes());
        match cycle {
            None => Ok(()),
            Some(cycle) => {
                lasso = Some(Lasso { prefix: descent.path.transitions().collect(), cycle });
                Err(End::Stopped)
            }
        }
    });
    let First { mut meter, .. } = first;
    meter.unnest(memory.second_bytes());
    meter.read(memory.first());
    Emptiness::new(meter, result, lasso)
}

/// Algorithm A: the second search after the first, in the same memory, which is emptied in between.
#[doc(alias = "Algorithm A")]
pub fn two_passes<S: Store>(
    stepper: &mut dyn Stepper,
    store: &mut S,
    root: &[u8],
    budget: &mut Budget<'_>,
) -> Emptiness {
    let mut queue = Queue::default();
    let mut first = First { stepper, descent: Descent::default(), meter: Meter::new(budget) };
    let result = first.run(
        store,
        |store| store,
        root,
        |first, _| {
            queue.insert(&first.descent.state);
            first.meter.beside = queue.bytes.len();
            Ok(())
        },
    );
    let First { stepper, mut descent, mut meter } = first;
    meter.read(store);
    // From here on the store no longer tells how many states there are.
    meter.nested = true;
    let mut lasso = None;
    let result = result.and_then(|()| {
        store.clear();
        while let Some(f) = queue.remove_head() {
            let mut second = Seek { stepper, store, descent: &mut descent, meter: &mut meter };
            if let Some(cycle) = second.run(f, f, never)? {
                lasso = Some(Lasso { prefix: second.again(root, f, never)?, cycle });
                return Err(End::Stopped);
            }
        }
        Ok(())
    });
    meter.counters.store_bytes = meter.counters.store_bytes.max(store.bytes());
    Emptiness::new(meter, result, lasso)
}

/// The second search ends in no state.
fn never(_: &mut dyn Stepper, _: &[u8]) -> bool {
    false
}

/// The first depth-first search, which both algorithms share.
struct First<'w, 'm, 'b, Hash> {
    stepper: &'w mut dyn Stepper,
    /// The paper's S1, with x on top and y its successor.
    descent: Descent<Hash>,
    meter: Meter<'m, 'b>,
}

impl<Hash: Copy> First<'_, '_, '_, Hash> {
    /// Searches with the store that `m1` takes out of `memory`; `accepting` is called when an accepting state has been
    /// explored and is still on top of the path.
    fn run<M: ?Sized, S: Store<Hash = Hash>>(
        &mut self,
        memory: &mut M,
        m1: impl Fn(&mut M) -> &mut S,
        root: &[u8],
        mut accepting: impl FnMut(&mut Self, &mut M) -> Result<(), End>,
    ) -> Result<(), End> {
        if let Visit::New(at) = self.descent.start(m1(memory), &self.meter, root)? {
            self.enter(m1(memory), at, Transition(0))?;
        }
        while !self.descent.path.is_empty() {
            if let Some(t) = self.descent.next_pending(m1(memory)) {
                let hash = self.descent.succ(self.stepper, m1(memory), &mut self.meter, t)?;
                if let Visit::New(at) = self.descent.visit(m1(memory), &self.meter, hash)? {
                    self.enter(m1(memory), at, t)?;
                }
            } else {
                if self.stepper.accepting(&self.descent.state) {
                    accepting(self, memory)?;
                }
                let at = self.descent.path.pop();
                m1(memory).set_status(at, Status::Visited);
                self.descent.back(m1(memory));
            }
        }
        Ok(())
    }

    fn enter<S: Store<Hash = Hash>>(&mut self, store: &mut S, at: Ref, by: Transition) -> Result<(), End> {
        self.descent.enter(self.stepper, store, &mut self.meter, at, by)?;
        self.descent.look_ahead(&mut self.meter, |_, edge, hash| Ok(store.find(edge.to, hash).is_none()))
    }
}

/// The paper's Q: states one after the other, each behind its length, read once from the front.
#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    head: usize,
}

impl Queue {
    fn insert(&mut self, state: &[u8]) {
        let len = u32::try_from(state.len()).expect("stores refuse states of 4 GiB");
        self.bytes.extend_from_slice(&len.to_le_bytes());
        self.bytes.extend_from_slice(state);
    }

    fn remove_head(&mut self) -> Option<&[u8]> {
        let (len, rest) = self.bytes[self.head..].split_first_chunk::<4>()?;
        let len = u32::from_le_bytes(*len) as usize;
        self.head += 4 + len;
        Some(&rest[..len])
    }
}
