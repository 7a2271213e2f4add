//! The on-the-fly kernel: it walks the states of a system while generating them, in the memory it is granted.

pub mod system;

pub use system::{Action, Fault, Stepper, System, Transition};
