//! Can a channel grow for ever: the report's examples, and what random systems rarely show. Random systems against a naive
//! explorer and an independent program are the campaign `boundedness` of `crates/conformance`.

mod cases;
mod relations;
mod statics;
