//! The smallest equivalent of a model, whatever its language.
//!
//! ```
//! use elnath::{LoadOptions, Reduce, Relation, load};
//!
//! let file = std::env::temp_dir().join("elnath-doc-reduce.aut");
//! std::fs::write(&file, "des (0, 3, 3)\n(0, coin, 1)\n(1, i, 2)\n(2, coffee, 0)\n").unwrap();
//! let loaded = load(&file, &LoadOptions::default()).unwrap();
//! let report = Reduce::of(loaded, Relation::Branching).run().unwrap();
//! let reduced = report.product.ok().unwrap();
//! assert_eq!((reduced.before, reduced.quotient.lts.num_states()), ((3, 3), 2));
//! ```

use crate::compositional::MinimisedParts;
use crate::driver::{Limits, drive};
use crate::frontend::Loaded;
use crate::problem::Problem;
use crate::questions::quotient::Quotients;
use elnath_kernel::{Counters, Limit, Relation};
use elnath_lts::quotient::Quotient;

/// A wish for a quotient, to be made with [`Reduce::run`].
#[doc(alias = "minimisation")]
pub struct Reduce<'a> {
    asked: Quotients,
    limits: Limits<'a>,
}

/// What became of the wish.
pub struct QuotientReport {
    /// The equivalence.
    pub relation: Relation,
    /// The quotient; or what ran out before there was one.
    pub product: Result<ReducedGraph, Stopped>,
}

/// A model that was reduced.
pub struct ReducedGraph {
    /// The quotient and the classes.
    pub quotient: Quotient,
    /// States and transitions of the graph that was reduced.
    pub before: (usize, usize),
    /// The labels of that graph that were taken as the internal action, and those of the model that were hidden.
    pub tau_labels: Vec<String>,
    /// How many of its transitions ran into a fault of the model.
    pub faults: u64,
    /// What was made of the components of a network, if these were minimised first: then the graph that was reduced is that of the small network.
    pub components: Option<MinimisedParts>,
}

/// What ran out before there was a quotient.
#[derive(Clone, Copy, Debug)]
pub struct Stopped {
    /// What was being done: `generating` or `reducing`.
    pub doing: &'static str,
    /// What ran out.
    pub limit: Limit,
    /// What had been done by then.
    pub counters: Counters,
}

impl<'a> Reduce<'a> {
    /// The quotient of a model by an equivalence; its graph is generated first if it is not one.
    pub fn of(loaded: Loaded, relation: Relation) -> Self {
        let asked = Quotients { loaded: Some(loaded), relation, taus: None, as_written: false };
        Self { asked, limits: Limits::default() }
    }

    /// The labels that count as the internal action, where the graph has still to be generated; without this, `i` and `tau`. A graph
    /// that was read knows its own.
    #[must_use]
    pub fn internal(mut self, labels: Vec<String>) -> Self {
        self.asked.taus = Some(labels);
        self
    }

    /// The components of a network are not minimised first, so that classes are those of its own states.
    #[must_use]
    pub fn as_written(mut self) -> Self {
        self.asked.as_written = true;
        self
    }

    /// Bytes for the graph and the reduction together.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Is called now and then; a returned limit stops the reduction.
    #[must_use]
    pub fn watch(self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        Self { limits: self.limits.watched(watch), ..self }
    }

    /// Makes it.
    ///
    /// # Errors
    /// That there are no quotients by this relation.
    pub fn run(mut self) -> Result<QuotientReport, Problem> {
        drive(self.asked, &mut self.limits)
    }
}
