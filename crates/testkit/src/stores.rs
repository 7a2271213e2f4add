//! What every store must do, whatever it is made of: a long random sequence of operations, each compared with a map.

use elnath_kernel::rng::Rng;
use elnath_kernel::store::{Marks, Ref, Room, Status, Store, Visit};
use std::collections::{HashMap, HashSet};

/// A state among a few thousand, of any length from none to some hundred bytes; many differ in one byte only.
fn random_state(rng: &mut Rng) -> Vec<u8> {
    let len = match rng.below(10) {
        0 => 0,
        1 => rng.below(300),
        _ => 24,
    };
    let mut state = vec![0; len as usize];
    for _ in 0..2 {
        if let Some(last) = state.len().checked_sub(1) {
            state[rng.below(last as u64 + 1) as usize] = rng.below(40) as u8;
        }
    }
    state
}

/// Compares a marking memory with a hash set. A lossy one may take a new state for a marked one, but at most
/// `omissions` times; a marked state is never new again.
pub fn check_marks<M: Marks>(mut marks: M, omissions: u64, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut model = HashSet::new();
    let mut omitted = 0;
    for _ in 0..60_000 {
        let state = random_state(&mut rng);
        let hash = marks.hash(&state);
        marks.prefetch(hash);
        let was_marked = marks.is_marked(&state, hash);
        let new = marks.mark(&state, hash, Room::UNLIMITED).expect("there is room");
        assert_eq!(new, !was_marked, "mark and is_marked disagree, seed {seed}");
        assert!(marks.is_marked(&state, hash), "a mark was lost, seed {seed}");
        let really_new = model.insert(state);
        assert!(really_new || !new, "a marked state was new again, seed {seed}");
        omitted += u64::from(really_new && !new);
    }
    assert!(omitted <= omissions, "{omitted} omissions, seed {seed}");
    assert_eq!(marks.len() + omitted, model.len() as u64, "seed {seed}");
}

/// Compares a store with a map from states to their sets. With `most`, the store may forget visited states, must
/// have done so by the end, and never holds more than that many.
pub fn check_store<S: Store>(mut store: S, most: Option<u64>, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut model: HashMap<Vec<u8>, Status> = HashMap::new();
    let mut kept: Vec<(Vec<u8>, Ref)> = Vec::new();
    let mut read = Vec::new();
    for step in 0..60_000 {
        let state = random_state(&mut rng);
        let hash = store.hash(&state);
        store.prefetch(hash);
        match (store.find(&state, hash), model.get(&state)) {
            (Some(known), Some(&status)) => assert_eq!(known.status, status, "seed {seed} step {step}"),
            (None, Some(&status)) => {
                assert!(
                    most.is_some() && status == Status::Visited,
                    "a state was lost, seed {seed} step {step}"
                );
            }
            (Some(_), None) => panic!("a state was invented, seed {seed} step {step}"),
            (None, None) => {}
        }
        let room = Room { depth: step, ..Room::UNLIMITED };
        let known_before = store.find(&state, hash).is_some();
        match store.visit(&state, hash, room).expect("there is something to replace") {
            Visit::New(at) => {
                assert!(!known_before);
                model.insert(state.clone(), Status::Path);
                kept.push((state, at));
            }
            Visit::Known(known) => {
                assert!(known_before);
                assert_eq!(known.status, model[&state]);
            }
        }
        // Now and then a state leaves the path, or goes to another set.
        while kept.len() > 40 || (!kept.is_empty() && rng.below(3) == 0) {
            let index = rng.below(kept.len() as u64) as usize;
            let (state, at) = kept[index].clone();
            store.read(at, &mut read);
            assert_eq!(read, state, "seed {seed} step {step}");
            let status = match rng.below(4) {
                0 if kept.len() <= 40 => Status::Needed,
                1 if kept.len() <= 40 => Status::Permanent,
                _ => Status::Visited,
            };
            store.set_status(at, status);
            model.insert(state, status);
            if status == Status::Visited {
                kept.swap_remove(index);
            }
        }
        if let Some(most) = most {
            assert!(store.len() <= most, "seed {seed} step {step}");
        }
    }
    assert_eq!(store.replacements() > 0, most.is_some(), "seed {seed}");
}
