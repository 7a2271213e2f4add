//! The right system, made deterministic where somebody looks: sets of its states under numbers, and where they lead.
//!
//! A set is closed under internal steps, if these are not observed. What is asked of it again and again is made once, when
//! it first stands in a pair: the set after each label, and the sets of labels that its stable states offer, as far as
//! none includes another, since the smallest offers are the hardest refusals. Both kinds of sets are sorted numbers, and
//! live in the same kind of table.

use super::super::lists::Lists;
use super::super::meter::{Meter, Spender};
use super::super::side::{Labels, Move, Side, Span, TAU};
use super::Model;
use super::divergence::Divergence;
use elnath_kernel::Limit;

/// The number of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Set(u32);

/// The right system, as far as it is known.
pub(crate) struct Specification<'s> {
    side: Side<'s>,
    model: Model,
    sets: Lists<u32>,
    /// By set.
    about: Vec<About>,
    /// Where sets lead, sorted by label, one set's behind the other's.
    after: Vec<(u32, Set)>,
    /// What stable states offer, as sets of labels, one set's behind the other's.
    offers: Vec<Set>,
    offered: Lists<u32>,
    divergence: Divergence,
    scratch: Scratch,
}

#[derive(Clone, Copy)]
struct About {
    /// Whether the two below are made.
    open: bool,
    after: Span,
    offers: Span,
    /// Whether a state of it can be busy inside for ever, where that counts.
    diverges: bool,
}

#[derive(Default)]
struct Scratch {
    /// By state, the closure in which it was last met.
    met: Vec<u32>,
    epoch: u32,
    closure: Vec<u32>,
    members: Vec<u32>,
    steps: Vec<Move>,
    labels: Vec<u32>,
}

impl<'s> Specification<'s> {
    pub(crate) fn new(side: Side<'s>, model: Model) -> Self {
        Self {
            side,
            model,
            sets: Lists::new(),
            about: Vec::new(),
            after: Vec::new(),
            offers: Vec::new(),
            offered: Lists::new(),
            divergence: Divergence::default(),
            scratch: Scratch::default(),
        }
    }

    /// The set of states in which the system may begin.
    pub(crate) fn root(&mut self, labels: &mut Labels<'_>, meter: &mut Meter<'_, '_>) -> Result<Set, Limit> {
        let root = self.side.root(labels, meter)?;
        self.closed([root].into_iter(), labels, meter)
    }

    /// Makes sure that it is known where a set leads and what its states offer.
    pub(crate) fn open(
        &mut self,
        set: Set,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        if self.about[set.0 as usize].open {
            return Ok(());
        }
        let mut members = std::mem::take(&mut self.scratch.members);
        members.clear();
        members.extend_from_slice(self.sets.get(set.0));
        let offers = self.offers.len();
        let mut steps = std::mem::take(&mut self.scratch.steps);
        steps.clear();
        for &state in &members {
            self.side.open(state, labels, meter)?;
            let all = self.side.challenges(state).range();
            let first = steps.len();
            steps.extend(all.map(|step| self.side.step(step as u32)));
            let stable = steps.get(first).is_none_or(|step| step.label != TAU);
            if self.model.failures && stable {
                self.add_offer(offers, &steps[first..])?;
            }
        }
        steps.retain(|step| !self.model.ignores(step.label));
        steps.sort_unstable();
        steps.dedup();
        // The sets that are made here are not opened: nothing is added to `after` meanwhile.
        let after = self.after.len();
        let taken = 4 * members.capacity() + 8 * steps.capacity();
        meter.work(members.len() + steps.len())?;
        for group in steps.chunk_by(|a, b| a.label == b.label) {
            let next = self.closed(group.iter().map(|step| step.target), labels, meter)?;
            self.after.push((group[0].label, next));
            // The sets after one may be as many as labels, and each as large as the system.
            meter.tick(Spender::Sets, self.bytes() + taken, 0)?;
        }
        (self.scratch.members, self.scratch.steps) = (members, steps);
        let about = &mut self.about[set.0 as usize];
        about.after = span(after, self.after.len())?;
        about.offers = span(offers, self.offers.len())?;
        about.open = true;
        Ok(())
    }

    /// The set after a label, if there is one; the set must be open.
    pub(crate) fn after(&self, set: Set, label: u32) -> Option<Set> {
        let all = &self.after[self.about[set.0 as usize].after.range()];
        all.binary_search_by_key(&label, |&(label, _)| label).ok().map(|at| all[at].1)
    }

    /// Whether some stable state of a set refuses whatever `state` of `side` refuses: whether it offers nothing else. The
    /// set must be open, and so must the state.
    pub(crate) fn may_refuse(&self, set: Set, side: &Side<'_>, state: u32) -> bool {
        let steps = side.challenges(state).range();
        let has = |label: &u32| {
            let (mut from, mut to) = (steps.start, steps.end);
            while from < to {
                let mid = from.midpoint(to);
                match side.step(mid as u32).label.cmp(label) {
                    std::cmp::Ordering::Equal => return true,
                    std::cmp::Ordering::Less => from = mid + 1,
                    std::cmp::Ordering::Greater => to = mid,
                }
            }
            false
        };
        let offers = &self.offers[self.about[set.0 as usize].offers.range()];
        offers.iter().any(|&offer| self.offered.get(offer.0).iter().all(has))
    }

    /// Whether a state of a set can be busy inside for ever, where that counts.
    pub(crate) fn diverges(&self, set: Set) -> bool {
        self.about[set.0 as usize].diverges
    }

    pub(crate) fn is_subset(&self, a: Set, b: Set) -> bool {
        a == b || is_subset(self.sets.get(a.0), self.sets.get(b.0))
    }

    /// The size of the smaller of two sets: what it takes to compare them.
    pub(crate) fn least_size(&self, a: Set, b: Set) -> usize {
        self.sets.get(a.0).len().min(self.sets.get(b.0).len())
    }

    pub(crate) fn sets(&self) -> u64 {
        self.about.len() as u64
    }

    /// The size of the largest set.
    pub(crate) fn largest(&self) -> usize {
        (0..self.sets.len() as u32).map(|number| self.sets.get(number).len()).max().unwrap_or(0)
    }

    pub(crate) fn states(&self) -> u64 {
        self.side.states()
    }

    pub(crate) fn faults(&self) -> bool {
        self.side.faults
    }

    pub(crate) fn bytes(&self) -> usize {
        let Scratch { met, closure, members, steps, labels, .. } = &self.scratch;
        let words = met.capacity() + closure.capacity() + members.capacity() + labels.capacity();
        self.sets.bytes()
            + self.offered.bytes()
            + self.about.capacity() * size_of::<About>()
            + self.after.capacity() * size_of::<(u32, Set)>()
            + self.offers.capacity() * size_of::<Set>()
            + self.divergence.bytes()
            + 4 * words
            + 8 * steps.capacity()
    }

    /// The set of some states and of all that they reach inside, if that is not observed.
    fn closed(
        &mut self,
        states: impl Iterator<Item = u32>,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Set, Limit> {
        let mut closure = std::mem::take(&mut self.scratch.closure);
        closure.clear();
        self.scratch.epoch += 1;
        states.for_each(|state| self.scratch.meet(state, &mut closure));
        let mut at = 0;
        while self.model.weak && at < closure.len() {
            let state = closure[at];
            at += 1;
            self.side.open(state, labels, meter)?;
            for step in self.side.challenges(state).range() {
                let step = self.side.step(step as u32);
                if step.label != TAU {
                    break;
                }
                meter.work(1)?;
                self.scratch.meet(step.target, &mut closure);
            }
        }
        meter.work(closure.len())?;
        closure.sort_unstable();
        let (number, new) = self.sets.insert(&closure)?;
        let number = Set(number);
        if new {
            let mut diverges = false;
            for &state in closure.iter().filter(|_| self.model.divergences) {
                diverges = diverges || self.divergence.of(&mut self.side, state, labels, meter)?;
            }
            let none = Span { start: 0, len: 0 };
            self.about.push(About { open: false, after: none, offers: none, diverges });
        }
        self.scratch.closure = closure;
        Ok(number)
    }

    /// Adds what a stable state offers to those behind `first`, unless it includes one of them.
    fn add_offer(&mut self, first: usize, steps: &[Move]) -> Result<(), Limit> {
        let labels = &mut self.scratch.labels;
        labels.clear();
        labels.extend(steps.iter().map(|step| step.label));
        labels.dedup();
        let offered = &mut self.offered;
        if self.offers[first..].iter().any(|&other| is_subset(offered.get(other.0), labels)) {
            return Ok(());
        }
        let (new, _) = offered.insert(labels)?;
        let new = Set(new);
        let mut kept = first;
        for at in first..self.offers.len() {
            if !is_subset(labels, offered.get(self.offers[at].0)) {
                self.offers.swap(kept, at);
                kept += 1;
            }
        }
        self.offers.truncate(kept);
        self.offers.push(new);
        Ok(())
    }
}

impl Scratch {
    fn meet(&mut self, state: u32, closure: &mut Vec<u32>) {
        let at = state as usize;
        if self.met.len() <= at {
            self.met.resize(at + 1, 0);
        }
        if self.met[at] != self.epoch {
            self.met[at] = self.epoch;
            closure.push(state);
        }
    }
}

fn span(from: usize, to: usize) -> Result<Span, Limit> {
    let number = |n: usize| u32::try_from(n).map_err(|_| Limit::Memory);
    number(to)?;
    Ok(Span { start: number(from)?, len: number(to - from)? })
}

/// Whether all of `a` is in `b`; both are sorted.
fn is_subset(a: &[u32], b: &[u32]) -> bool {
    if a.len() > b.len() {
        return false;
    }
    let mut rest = b.iter();
    a.iter().all(|x| rest.by_ref().find(|&y| y >= x) == Some(x))
}
