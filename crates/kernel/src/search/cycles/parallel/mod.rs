//! Parallel searches for accepting cycles over one shared store.
//!
//! Such a search needs depth-first order, which is hard to share. But it is needed only where a cycle can be: in an
//! automaton for a negated formula most runs stay in a component that accepts nothing until they guess that from now on
//! the formula is violated. [`Stepper::may_recur`] distinguishes the states after that guess from the others. The
//! states **outside** are explored in any order, each by one worker, in groups whose look-ups overlap ([`outside`]);
//! what is shared is a list of references, half of which goes to an idle worker. The states **inside** are searched
//! depth first from where they were first reached, their *seed*, and that search puts the states outside back on the
//! list. A worker that finds no states to take joins the search of another worker, from the same seed: it takes the
//! transitions in another order, and the two share what they have finished.
//!
//! How the inside is searched is a parameter ([`Inside`]): [`cndfs`] for acceptance by states, also of weak automata;
//! [`ufscc`] for any number of acceptance sets on transitions. All of it is correct for one worker, too, and mostly
//! faster than the sequential searches, since a successor is computed only once; but the store must know from where
//! each state was first reached and keep words for the search beside it ([`Noted`]), which only the exact one does.
//!
//! **The run.** Every state in the store except the initial one was inserted when its parent, which was there before,
//! was expanded. So the run to the beginning of a cycle is found by parents, whichever worker explored it, and the
//! cycle is on the path of the worker that closes it, or is searched for in the component once all workers have
//! stopped.

mod cndfs;
mod outside;
mod pool;
mod team;
mod ufscc;
mod union_find;

pub use cndfs::{CycleKind, MOST_WORKERS, cndfs};
pub use ufscc::ufscc;

use crate::search::parts::held::{Halt, Reading};
use crate::store::{Noted, Ref};
use team::Worker;

/// How the states that may recur are searched; one for each worker.
trait Inside<S: Noted>: Send {
    /// Searches everything inside that can be reached from `seed` and is not finished.
    fn explore<'c>(
        &mut self,
        worker: &mut Worker<'c, S>,
        store: Reading<'c, S>,
        seed: Ref,
    ) -> Result<Reading<'c, S>, Halt>;

    /// Whether everything inside that can be reached from there is finished.
    fn is_finished(&self, store: &S, seed: Ref) -> bool;

    /// Bytes of its stacks.
    fn bytes(&self) -> usize;
}
