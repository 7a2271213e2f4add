//! Why vertices do not have the value that was assumed of all of them, in an order in which each rests on earlier ones only.

/// Why a vertex does not have the value that was assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// The [code](crate::Obligation::code) of an obligation all of whose candidates were refuted before.
    pub code: u32,
    /// When: refutations have ascending numbers, and a refutation only depends on those with smaller ones.
    pub stamp: u32,
}

/// Who knows why vertices do not have the value that was assumed.
pub trait Refutations<V> {
    /// Why this vertex has not, if that is known.
    fn refuted(&self, vertex: V) -> Option<Refuted>;
}
