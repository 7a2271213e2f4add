//! Petri nets: place/transition nets in PNML, executed on the fly.
//!
//! ```text
//! PNML ─► xml ─► pnml ─► PetriNet ─► probe ─► layout, enabling ─► PetriSystem (a System)
//!                            └─────► coverability (Karp, Miller)
//! formulas: XML of the Model Checking Contest ─► contest;  text ─► proposition;  both ─► predicate
//! ```
//!
//! A net is not lowered to the IR of guarded commands: a command with an array element for each place would be interpreted
//! where a comparison with a mask suffices.

pub mod contest;
pub mod coverability;
mod enabling;
mod layout;
pub mod net;
pub mod pnml;
pub mod predicate;
mod probe;
pub mod proposition;
pub mod system;
mod xml;

pub use net::PetriNet;
pub use predicate::Predicate;
pub use proposition::{is_proposition, proposition};
pub use system::PetriSystem;
