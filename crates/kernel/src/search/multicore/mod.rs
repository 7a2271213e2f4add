//! Searches for accepted cycles by many workers over one shared store.
//!
//! Such a search needs depth-first order, and depth-first order is hard to share. But it is needed only where a cycle can
//! be: in an automaton for a negated formula most runs wait in a component that accepts nothing until they guess that from
//! now on the formula is broken. [`Stepper::may_recur`] tells the states behind that guess from the others. The states
//! **outside** are walked in any order, each by one worker, in groups whose look-ups overlap ([`outside`]); what there is
//! to share is a list of references, and half of it goes to whoever has nothing to do. The states **inside** are searched
//! depth first from where they were first met, their *seed*, and that search leaves the states outside to the list again.
//! A worker that finds no states to take goes after another into the search that it is in, from the same seed: it takes the
//! transitions in another order, and the two share what they have finished.
//!
//! How the inside is searched is a matter of its own ([`Inside`]): [`cndfs`] for acceptance by states, also of weak
//! automata; [`ufscc`] for any number of sets of transitions. All of it is right for one worker, and mostly faster than
//! the searches over stores of one's own, since a successor is made only once; but the store must know where each state
//! was first reached from and keep notes ([`Noted`]), which only the exact one does.
//!
//! **The run.** Every state in the store but the initial one was put in when its parent, which was there before, was
//! expanded. So the way to where a cycle begins is found by parents, whoever walked it, and the cycle is on the path of the
//! worker that closes it, or is looked for in the component once everybody has stopped.

mod cndfs;
mod outside;
mod pool;
mod team;
mod ufscc;
mod union_find;

pub use cndfs::{Kind, MOST_WORKERS, cndfs};
pub use ufscc::ufscc;

use super::held::{Halt, Reading};
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
