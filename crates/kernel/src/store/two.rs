//! Two marks per state, for nested searches (memory-efficient-algorithms-1992: M1 and M2).
//!
//! The exact store has room for the second mark beside the first, in the header of the state: it costs nothing there,
//! and only a state that the first search has entered can have it. Any other pair of stores works as well: two bit
//! arrays, as in the paper, or a first one that forgets beside a second one that does not.

use super::{Exact, Known, Ref, Retains, Room, States, Status, Store, Visit};
use crate::verdict::{Coverage, Limit};

/// A memory with two marks per state.
pub trait TwoMarks {
    /// The memory of the first search.
    type First: Store;
    /// What the second search computes once from a state's bytes.
    type SecondHash: Copy;
    /// The memory of the second search.
    type Second<'a>: Store<Hash = Self::SecondHash>
    where
        Self: 'a;

    /// The memory of the first search.
    #[doc(alias = "M1")]
    fn first(&mut self) -> &mut Self::First;

    /// The memory of the second search.
    #[doc(alias = "M2")]
    fn second(&mut self) -> Self::Second<'_>;

    /// Bytes that the second search needs beside what the first one knows of.
    fn second_bytes(&self) -> usize;

    /// How much a finished search with both has seen.
    fn coverage(&mut self) -> Coverage;
}

/// Two marks neither of which is ever lost, and that are looked up with the same hash: a search may then ask for both at
/// once.
pub trait TwoRetained:
    TwoMarks<First: States<Hash = <Self as TwoRetained>::Hash>, SecondHash = <Self as TwoRetained>::Hash>
{
    /// What is computed once from a state's bytes.
    type Hash: Copy;
}

/// A store for each search.
pub struct Pair<A, B> {
    /// That of the first search.
    pub first: A,
    /// That of the second search.
    pub second: B,
}

impl<A: Store, B: Store> TwoMarks for Pair<A, B> {
    type First = A;
    type SecondHash = B::Hash;
    type Second<'a>
        = &'a mut B
    where
        Self: 'a;

    fn first(&mut self) -> &mut A {
        &mut self.first
    }

    fn second(&mut self) -> &mut B {
        &mut self.second
    }

    fn second_bytes(&self) -> usize {
        self.second.bytes()
    }

    fn coverage(&mut self) -> Coverage {
        match (self.first.coverage(), self.second.coverage()) {
            (Coverage::Exhaustive, other) | (other, Coverage::Exhaustive) => other,
            // What either omits is missing; that they omit the same state is not worth a formula.
            (
                Coverage::Lossy { expected_omissions: a, omission_probability: p },
                Coverage::Lossy { expected_omissions: b, omission_probability: q },
            ) => Coverage::Lossy {
                expected_omissions: a + b,
                omission_probability: 1.0 - (1.0 - p) * (1.0 - q),
            },
        }
    }
}

impl<A: Retains, B: Retains<Hash = A::Hash>> TwoRetained for Pair<A, B> {
    type Hash = A::Hash;
}

impl TwoMarks for Exact {
    type First = Exact;
    type SecondHash = u64;
    type Second<'a> = SecondMarks<'a>;

    fn first(&mut self) -> &mut Exact {
        self
    }

    fn second(&mut self) -> SecondMarks<'_> {
        SecondMarks(self)
    }

    fn second_bytes(&self) -> usize {
        0
    }

    fn coverage(&mut self) -> Coverage {
        Coverage::Exhaustive
    }
}

impl TwoRetained for Exact {
    type Hash = u64;
}

/// The exact store as the second search sees it. Only states that the first search has entered can be marked; any
/// other, such as one beyond the depth limit, is taken for visited.
pub struct SecondMarks<'a>(&'a mut Exact);

/// The second mark of a state on the path of the second search, and of one that it has left.
const ON_PATH: u8 = 1;
const LEFT: u8 = 2;

impl SecondMarks<'_> {
    /// Where the state lies and its mark.
    fn look_up(&self, state: &[u8], hash: u64) -> (Ref, u8) {
        match self.0.place(state, hash) {
            Some(at) => (at, self.0.second_mark(at)),
            None => (Ref::NONE, LEFT),
        }
    }

    fn known(at: Ref, mark: u8) -> Option<Known> {
        let status = if mark == ON_PATH { Status::Path } else { Status::Visited };
        (mark != 0).then_some(Known { status, at })
    }
}

impl States for SecondMarks<'_> {
    type Hash = u64;

    fn hash(&self, state: &[u8]) -> u64 {
        self.0.hash(state)
    }

    fn prefetch(&self, hash: u64) {
        self.0.prefetch(hash);
    }

    fn prefetch_bytes(&self, hash: u64, len: usize) {
        self.0.prefetch_bytes(hash, len);
    }

    fn hint(&self, hash: u64) -> u32 {
        self.0.hint(hash)
    }

    fn prefetch_hint(&self, hint: u32) {
        self.0.prefetch_hint(hint);
    }

    fn prefetch_hint_bytes(&self, hint: u32) {
        self.0.prefetch_hint_bytes(hint);
    }

    fn len(&self) -> u64 {
        self.insertions()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn insertions(&self) -> u64 {
        self.0.second
    }

    /// Takes the second marks away and leaves the states.
    fn clear(&mut self) {
        self.0.clear_second();
    }
}

impl Store for SecondMarks<'_> {
    fn find(&mut self, state: &[u8], hash: u64) -> Option<Known> {
        let (at, mark) = self.look_up(state, hash);
        Self::known(at, mark)
    }

    fn visit(&mut self, state: &[u8], hash: u64, _: Room) -> Result<Visit, Limit> {
        let (at, mark) = self.look_up(state, hash);
        Ok(match Self::known(at, mark) {
            Some(known) => Visit::Known(known),
            None => {
                self.0.set_second_mark(at, ON_PATH);
                self.0.second += 1;
                Visit::New(at)
            }
        })
    }

    fn set_status(&mut self, at: Ref, status: Status) {
        assert!(matches!(status, Status::Path | Status::Visited), "the second mark knows two sets only");
        self.0.set_second_mark(at, if status == Status::Path { ON_PATH } else { LEFT });
    }

    fn read(&self, at: Ref, out: &mut Vec<u8>) {
        self.0.read(at, out);
    }
}

impl Retains for SecondMarks<'_> {}

impl<S: States> States for &mut S {
    type Hash = S::Hash;

    fn hash(&self, state: &[u8]) -> S::Hash {
        (**self).hash(state)
    }

    fn prefetch(&self, hash: S::Hash) {
        (**self).prefetch(hash);
    }

    fn prefetch_bytes(&self, hash: S::Hash, len: usize) {
        (**self).prefetch_bytes(hash, len);
    }

    fn hint(&self, hash: S::Hash) -> u32 {
        (**self).hint(hash)
    }

    fn prefetch_hint(&self, hint: u32) {
        (**self).prefetch_hint(hint);
    }

    fn prefetch_hint_bytes(&self, hint: u32) {
        (**self).prefetch_hint_bytes(hint);
    }

    fn len(&self) -> u64 {
        (**self).len()
    }

    fn bytes(&self) -> usize {
        (**self).bytes()
    }

    fn insertions(&self) -> u64 {
        (**self).insertions()
    }

    fn clear(&mut self) {
        (**self).clear();
    }

    fn distinct(&self) -> u64 {
        (**self).distinct()
    }

    fn replacements(&self) -> u64 {
        (**self).replacements()
    }

    fn fill(&self) -> Option<f64> {
        (**self).fill()
    }

    fn coverage(&self) -> Coverage {
        (**self).coverage()
    }
}

impl<S: Store> Store for &mut S {
    fn find(&mut self, state: &[u8], hash: S::Hash) -> Option<Known> {
        (**self).find(state, hash)
    }

    fn visit(&mut self, state: &[u8], hash: S::Hash, room: Room) -> Result<Visit, Limit> {
        (**self).visit(state, hash, room)
    }

    fn set_status(&mut self, at: Ref, status: Status) {
        (**self).set_status(at, status);
    }

    fn read(&self, at: Ref, out: &mut Vec<u8>) {
        (**self).read(at, out);
    }
}
