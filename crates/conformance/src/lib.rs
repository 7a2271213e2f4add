//! Everything that compares: engines with the interpreter, reductions with walks without them, stores and searches with
//! naive oracles, our answers with those of SPIN.
//!
//! A *campaign* is a list of *parts*, and a part is a function of seeds: for each seed it makes a case (a model, a graph, a
//! formula), has it answered in several ways, and panics where two answers differ. The same part is run twice:
//!
//! - by the tests (`tests/campaigns.rs`), with a few fixed seeds, in every test run ([`test`]);
//! - by the command `cargo run --release -p elnath-conformance -- NAME --seeds A..B`, with any seeds, for as long as
//!   somebody likes ([`main`]).
//!
//! So there is one piece of code per comparison, and no environment variable decides what a test does. A panic ends its case
//! only: it is counted as a difference, with the seed that shows it again.
//!
//! A part also says how much it must have seen to mean something ([`Trial::enough`]): how many of its cases were reduced, how
//! many properties failed. A generator that became dull would otherwise pass everything.
//!
//! Considered and not done: comparisons that return their differences instead of panicking. Assertions stop at the first
//! difference of a case, say it in place, and are what a test is written with anyway.

mod campaigns;
pub mod differential;
mod files;
mod runner;
mod settings;
pub mod sweep;
mod tally;
mod trial;

pub use campaigns::{CAMPAIGNS, Campaign, Part, Work};
pub use runner::{main, test};
pub use settings::Settings;
pub use tally::Tally;
pub use trial::{Case, Compared, Counts, Trial};
