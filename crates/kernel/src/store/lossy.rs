//! An adapter that makes a [`Store`] of a memory that only marks states (bitstate hashing, hash compaction).
//!
//! A bitstate table cannot say that a state is *on the path*, and a path test that errs would invent cycles. So the
//! irreplaceable states (path, needed, permanent) are kept byte for byte in a small table of their own, and a state
//! that becomes `Visited` leaves nothing but its mark. A collision can then only hide a state, never add one.

use super::cells::{Cell, Cells};
use super::{Known, Marks, Ref, Retains, Room, States, Status, Store, Visit, hash64, prefetch_line};
use crate::verdict::{Coverage, Limit};

/// Exact about the states that matter now, lossy about visited ones.
pub struct Lossy<M> {
    marks: M,
    kept: Cells,
}

impl<M: Marks> Lossy<M> {
    /// A store over `marks` for states of about `typical` bytes.
    pub fn new(marks: M, typical: usize) -> Self {
        Self { marks, kept: Cells::new(typical) }
    }

    /// The marks.
    pub fn marks(&self) -> &M {
        &self.marks
    }
}

impl<M: Marks> States for Lossy<M> {
    type Hash = (u32, M::Hash);

    fn hash(&self, state: &[u8]) -> Self::Hash {
        (hash64(state) as u32, self.marks.hash(state))
    }

    fn prefetch(&self, hash: Self::Hash) {
        self.marks.prefetch(hash.1);
        prefetch_line(self.kept.heads(), self.kept.bucket(hash.0));
    }

    fn prefetch_bytes(&self, hash: Self::Hash, _: usize) {
        self.kept.prefetch_first(hash.0);
    }

    fn hint(&self, hash: Self::Hash) -> u32 {
        self.marks.hint(hash.1)
    }

    fn prefetch_hint(&self, hint: u32) {
        self.marks.prefetch_hint(hint);
    }

    fn len(&self) -> u64 {
        self.marks.len()
    }

    fn bytes(&self) -> usize {
        self.marks.bytes() + self.kept.bytes()
    }

    fn insertions(&self) -> u64 {
        self.marks.insertions()
    }

    fn clear(&mut self) {
        self.marks.clear();
        self.kept.clear();
    }

    fn fill(&self) -> Option<f64> {
        self.marks.fill()
    }

    fn coverage(&self) -> Coverage {
        self.marks.coverage()
    }
}

impl<M: Marks> Retains for Lossy<M> {}

impl<M: Marks> Store for Lossy<M> {
    fn find(&mut self, state: &[u8], hash: Self::Hash) -> Option<Known> {
        // A state that is not marked was never entered: most look-ups of new states end here.
        if !self.marks.is_marked(state, hash.1) {
            return None;
        }
        let Some(at) = self.kept.find(state, hash.0) else {
            return Some(Known { status: Status::Visited, at: Ref::NONE });
        };
        let status = Status::from_bits(u32::from(self.kept.header(at).tag));
        Some(Known { status, at: Ref(u64::from(at)) })
    }

    fn visit(&mut self, state: &[u8], hash: Self::Hash, room: Room) -> Result<Visit, Limit> {
        if let Some(known) = self.find(state, hash) {
            return Ok(Visit::Known(known));
        }
        let kept = self.kept.bytes() + self.kept.growth(state.len());
        let Some(bytes) = room.bytes.checked_sub(kept) else { return Err(Limit::Memory) };
        if !self.marks.mark(state, hash.1, Room { bytes, ..room })? {
            // Another worker, who shares the marks, was faster.
            return Ok(Visit::Known(Known { status: Status::Visited, at: Ref::NONE }));
        }
        let at = self.kept.insert(state, hash.0, Status::Path as u8).ok_or(Limit::Memory)?;
        Ok(Visit::New(Ref(u64::from(at))))
    }

    fn set_status(&mut self, at: Ref, status: Status) {
        let at = at.0 as Cell;
        if status == Status::Visited {
            self.kept.remove(at);
        } else {
            self.kept.header_mut(at).tag = status as u8;
        }
    }

    fn read(&self, at: Ref, out: &mut Vec<u8>) {
        self.kept.read(at.0 as Cell, out);
    }
}
