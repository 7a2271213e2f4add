//! Can a channel grow for ever: random systems against a naive explorer, the report's examples, the relations against
//! their definitions, and an independent program where it is at hand.
//!
//! `ELNATH_BOUNDEDNESS=100000` makes the campaign as long as that; by default it is short.

mod campaign;
mod cases;
mod naive;
mod reference;
mod relations;
mod statics;
