//! The atomics of the shared stores: those of the standard library, or loom's when a test explores all interleavings
//! (`RUSTFLAGS="--cfg loom" cargo test --release -p elnath-kernel --test loom`).

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// What a thread does between two looks at something that another is about to change, when it has looked so often.
pub(crate) fn pause(looks: u32) {
    #[cfg(loom)]
    {
        let _ = looks;
        loom::thread::yield_now();
    }
    // Whoever is to change it may not have a processor.
    #[cfg(not(loom))]
    if looks.is_multiple_of(1000) {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}
