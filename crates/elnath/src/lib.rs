//! On-the-fly verification of communicating systems, for Rust programs.
//!
//! Write a [`Model`] (a state type, the actions possible in a state, the state after an action, properties) and check
//! it; or load a model in one of the languages of [`FRONT_ENDS`]. Either way the states are made only while they are
//! walked, in the memory you grant.
//!
//! ```
//! use elnath::{Check, Model, Property, Verdict};
//!
//! /// A counter that two people press; it must never show 3.
//! struct Counter;
//!
//! impl Model for Counter {
//!     type State = u8;
//!     type Action = &'static str;
//!
//!     fn initial(&self) -> u8 {
//!         0
//!     }
//!     fn actions(&self, state: &u8, actions: &mut Vec<&'static str>) {
//!         if *state < 3 {
//!             actions.extend(["Ann presses", "Bob presses twice"]);
//!         }
//!     }
//!     fn next(&self, state: &u8, action: &&'static str) -> Option<u8> {
//!         Some(state + if action.starts_with("Ann") { 1 } else { 2 })
//!     }
//!     fn properties(&self) -> Vec<Property<Self>> {
//!         vec![Property::always("never 3", |_, state| *state != 3)]
//!     }
//! }
//!
//! let report = Check::model(&Counter).shortest().run().unwrap();
//! assert!(matches!(report.verdict(), Verdict::Fails(_)));
//! assert_eq!(report.story(), ["Ann presses -> 1", "Bob presses twice -> 3"]);
//! ```

mod all;
mod asked;
pub mod bounded;
pub mod branching;
pub mod chart;
pub mod check;
pub mod compare;
pub mod compatible;
pub mod compositional;
pub mod demands;
mod driver;
pub mod engine;
mod estelle;
pub mod explanation;
pub mod findings;
pub mod finite;
pub mod foreign;
pub mod frontend;
pub mod generate;
pub mod labels;
mod lotos;
pub mod machines;
pub mod model;
pub mod nets;
pub mod network;
mod petri;
mod prepare;
pub mod problem;
pub mod property;
mod questions;
pub mod random;
pub mod reduce;
pub mod reductions;
pub mod report;
pub mod room;
pub mod session;
pub mod simulation;
pub mod story;
pub mod subject;
pub mod trail;
pub mod words;

pub use all::{Ask, Manner, NoAnswer, check_all, check_file, load_each, load_together};
pub use bounded::Bounded;
pub use check::Check;
pub use compare::{Compare, CompareReport, ComparisonFigures};
pub use compatible::Compatible;
pub use demands::Demand;
pub use elnath_cfsm::Blocked;
pub use elnath_check::scout::Find;
pub use elnath_check::temporal::{Fairness, Method};
pub use elnath_check::{
    Capability, ErrorCounts, Member, Plan, Polished, Portfolio, Refusal, SEARCHES, STORES, Scouted,
    SearchChoice, SearchPlan, StoreChoice, StorePlan, Swarmed, Violation, WantedStore,
};
pub use elnath_check::{capability::SearchKind, stores::StoreKind};
pub use elnath_estelle::{Delays, Names as EstelleNames, Options as EstelleOptions, Stepping};
pub use elnath_kernel::event;
pub use elnath_kernel::rng::Rng;
pub use elnath_kernel::store::Replacement;
pub use elnath_kernel::{
    Budget, Counters, Coverage, Describe, Direction, Disk, End, Event, Limit, Relation, Run, Stepper,
    Successors, System, Transition, Verdict, Watch, replay,
};
pub use elnath_logic::finite::Reading;
pub use elnath_lotos::{Aliasing, LotosSystem, Range, StateIdentity};
pub use elnath_petri::{PetriSystem, net as petri_net};
pub use engine::Engine;
pub use findings::Finding;
pub use finite::FiniteProperty;
pub use frontend::{FRONT_ENDS, FrontEnd, LoadError, LoadOptions, Loaded, load};
pub use labels::LabelOptions;
pub use model::{Model, ModelSystem, Property};
pub use nets::bounds::NetBounds;
pub use nets::{EXAMINATIONS, NetProperties, NetReport};
pub use network::{LoadedNetwork, load_network};
pub use problem::Problem;
pub use property::{ActionPattern, TemporalProperty, Wanted, refused};
pub use reduce::{QuotientReport, Reduce, ReducedGraph, Stopped};
pub use reductions::{REDUCTIONS, Reductions, StageReport};
pub use report::{
    CheckReport, CheckedProperty, ErrorList, ErrorReport, PropertyKind, PropertyReport, Report,
    SearchFigures, Summary, Temporal, ViolatingRun,
};
pub use room::{Reach, smaller_stores};
pub use simulation::{Ending, Simulation};
pub use story::{Step, Story};
pub use subject::Subject;

/// Temporal formulas and their automata.
pub use elnath_logic as logic;
/// Explicit labelled transition systems.
pub use elnath_lts as lts;
/// Systems made of systems: hiding, renaming, composition.
pub use elnath_net as net;
/// Programs of guarded commands.
pub use elnath_program as program;
/// Messages about broken input.
pub use elnath_source as source;
