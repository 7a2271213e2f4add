//! The atomics of the shared stores: those of the standard library, or loom's when a test explores all interleavings
//! (`RUSTFLAGS="--cfg loom" cargo test --release -p elnath-kernel --test loom`).

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
