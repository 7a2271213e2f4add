//! The insert protocol of the shared exact store under loom, which runs the very code in all interleavings and with all
//! values that the memory model lets a load see. Not part of the usual tests:
//!
//! ```console
//! $ RUSTFLAGS="--cfg loom" cargo test --release -p elnath-kernel --test loom
//! ```
#![cfg(loom)]

use elnath_kernel::store::{Ref, Shared, SharedExact};
use std::sync::Arc;

/// Puts `states` in and says which were new, and where.
fn put(
    store: &SharedExact,
    worker: &mut <SharedExact as Shared>::Worker,
    states: &[&[u8]],
) -> Vec<(Vec<u8>, Ref)> {
    let mut new = Vec::new();
    for &state in states {
        let key = store.key(worker, state).unwrap();
        if let Some(at) = store.insert(worker, state, key, Ref::NONE).expect("there is room") {
            new.push((state.to_vec(), at));
        }
    }
    new
}

fn check(first: &'static [&'static [u8]], second: &'static [&'static [u8]]) {
    loom::model(move || {
        // Two slots: every two states collide.
        let mut store = SharedExact::with_slots(2, 2);
        store.grow(1 << 20).unwrap();
        let (mut one, mut two) = (store.worker(), store.worker());
        let store = Arc::new(store);
        let shared = Arc::clone(&store);
        let other = loom::thread::spawn(move || put(&shared, &mut two, second));
        let mut new = put(&store, &mut one, first);
        new.extend(other.join().unwrap());
        let mut states: Vec<&[u8]> = first.iter().chain(second).copied().collect();
        states.sort_unstable();
        states.dedup();
        assert_eq!(new.len(), states.len(), "each state is told new exactly once");
        let mut read = Vec::new();
        for (state, at) in &new {
            store.read(&mut one, *at, &mut read);
            assert_eq!(&read, state);
        }
        for state in states {
            let key = store.key(&mut one, state).unwrap();
            assert_eq!(store.insert(&mut one, state, key, Ref::NONE), Ok(None), "no state is lost");
        }
    });
}

#[test]
fn the_same_state_is_new_once() {
    check(&[b"a state of two words"], &[b"a state of two words"]);
}

#[test]
fn different_states_do_not_lose_each_other() {
    check(&[b"one"], &[b"two"]);
    check(&[b"one", b"two"], &[b"two", b"one"]);
}
