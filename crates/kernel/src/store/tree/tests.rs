//! A store of trees is a set of byte strings, whatever they are and however many workers bring them.

use super::*;
use crate::rng::Rng;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::{RwLock, RwLockReadGuard};

/// A state of any length, often with most bytes zero, so that different states and lengths look alike.
fn random_state(rng: &mut Rng) -> Vec<u8> {
    let len = match rng.below(12) {
        0 => rng.below(9),
        1 => 120 + rng.below(20),
        2 => rng.below(600),
        _ => 20 + rng.below(4),
    } as usize;
    let mut state = vec![0; len];
    for _ in 0..rng.below(4) {
        if len > 0 {
            state[rng.below(len as u64) as usize] = rng.below(6) as u8;
        }
    }
    state
}

/// Puts a state in, letting the store grow when it must.
fn put(tree: &mut Tree, worker: &mut TreeWorker, state: &[u8]) -> Option<Ref> {
    loop {
        let attempt = tree.key(worker, state).and_then(|key| {
            tree.prefetch(key);
            tree.insert(worker, state, key, Ref::NONE)
        });
        match attempt {
            Ok(at) => return at,
            Err(Full) => tree.grow(usize::MAX).expect("no limit"),
        }
    }
}

#[test]
fn mixing_is_a_bijection() {
    let mut rng = Rng::new(1);
    assert_eq!(mix(0), 0);
    for _ in 0..10_000 {
        let word = rng.next_u64() >> rng.below(64);
        assert_eq!(unmix(mix(word)), word);
    }
}

#[test]
fn a_tree_store_is_a_set_of_byte_strings() {
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let mut tree = Tree::with_sizes(2, 2, 1 + seed as u32 % 5);
        let mut worker = tree.worker();
        let mut model: HashMap<Vec<u8>, Ref> = HashMap::new();
        let mut states: Vec<Vec<u8>> = Vec::new();
        let mut read = Vec::new();
        for step in 0..20_000 {
            let mut state = random_state(&mut rng);
            // As in a search: some state is read, and a neighbour of it is put in.
            if !states.is_empty() && rng.below(4) > 0 {
                let old = &states[rng.below(states.len() as u64) as usize];
                tree.read(&mut worker, model[old], &mut read);
                assert_eq!(&read, old, "seed {seed} step {step}");
                state.clone_from(old);
                if let Some(byte) = rng.below(state.len() as u64 + 1).checked_sub(1) {
                    state[byte as usize] ^= rng.below(3) as u8;
                }
            }
            let at = put(&mut tree, &mut worker, &state);
            assert_eq!(at.is_some(), !model.contains_key(&state), "seed {seed} step {step}");
            if let Some(at) = at {
                model.insert(state.clone(), at);
                states.push(state);
            }
            assert_eq!(tree.len(), states.len() as u64);
        }
        let mut other = tree.worker();
        for (state, &at) in &model {
            tree.read(&mut other, at, &mut read);
            assert_eq!(&read, state, "seed {seed}");
        }
        let refs: HashSet<u64> = tree.refs().map(|at| at.0).collect();
        assert_eq!(refs, model.values().map(|at| at.0).collect());
    }
}

/// States of all lengths around the borders between classes, all of them zeros, are all different.
#[test]
fn zeros_of_different_lengths_are_different_states() {
    let mut tree = Tree::new();
    let mut worker = tree.worker();
    let mut refs = Vec::new();
    for len in 0..3000 {
        refs.push(put(&mut tree, &mut worker, &vec![0; len]).expect("new"));
    }
    let mut read = Vec::new();
    for (len, &at) in refs.iter().enumerate().rev() {
        tree.read(&mut worker, at, &mut read);
        assert_eq!(read, vec![0; len]);
        assert_eq!(put(&mut tree, &mut worker, &read), None);
    }
}

/// Several workers bring the same states in different orders, while the store grows all the time.
#[test]
fn of_several_workers_one_is_told_that_a_state_is_new() {
    for seed in 0..6 {
        let states: Vec<Vec<u8>> = {
            let mut rng = Rng::new(seed);
            let all: HashSet<Vec<u8>> = (0..20_000).map(|_| random_state(&mut rng)).collect();
            all.into_iter().collect()
        };
        let tree = RwLock::new(Tree::with_sizes(2, 2, 3));
        let told = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (tree, told, states) = (&tree, &told, &states);
                scope.spawn(move || {
                    let mut rng = Rng::new(seed * 10 + thread);
                    let mut worker = tree.read().expect("no panic").worker();
                    let mut guard: Option<RwLockReadGuard<'_, Tree>> = None;
                    let mut read = Vec::new();
                    let first = rng.below(states.len() as u64) as usize;
                    for state in states[first..].iter().chain(&states[..first]) {
                        loop {
                            let tree_now = guard.get_or_insert_with(|| tree.read().expect("no panic"));
                            let attempt = tree_now
                                .key(&mut worker, state)
                                .and_then(|key| tree_now.insert(&mut worker, state, key, Ref::NONE));
                            if let Ok(Some(at)) = attempt {
                                told.fetch_add(1, Ordering::Relaxed);
                                tree_now.read(&mut worker, at, &mut read);
                                assert_eq!(&read, state);
                            }
                            if attempt.is_ok() {
                                break;
                            }
                            guard = None;
                            tree.write().expect("no panic").grow(usize::MAX).expect("no limit");
                        }
                    }
                });
            }
        });
        let tree = tree.into_inner().expect("no panic");
        assert_eq!(told.into_inner(), states.len() as u64, "seed {seed}");
        assert_eq!(tree.len(), states.len() as u64, "seed {seed}");
        assert_eq!(tree.refs().count(), states.len(), "seed {seed}");
    }
}

/// The budget is kept to the byte and used to the end.
#[test]
fn memory_is_kept_and_used() {
    for bytes in [200_000, 1_000_000, 5_000_000] {
        let mut tree = Tree::new();
        let mut worker = tree.worker();
        let mut n = 0u64;
        loop {
            let mut state = [0; 40];
            state[..3].copy_from_slice(&(n % 251).to_le_bytes()[..3]);
            // In the other half of the tree, as shapes have it.
            state[5..10].copy_from_slice(&(n / 251).to_le_bytes()[..5]);
            let attempt = tree
                .key(&mut worker, &state)
                .and_then(|key| tree.insert(&mut worker, &state, key, Ref::NONE));
            match attempt {
                Ok(new) => {
                    assert!(new.is_some());
                    n += 1;
                }
                Err(Full) => {
                    if tree.grow(bytes) == Err(Limit::Memory) {
                        break;
                    }
                }
            }
            while tree.wants_growth() && tree.grow(bytes).is_ok() {}
            assert!(tree.bytes() <= bytes, "{} of {bytes}", tree.bytes());
            if tree.wants_growth() {
                break;
            }
        }
        let cost = bytes as f64 / n as f64;
        assert!((8.5..18.0).contains(&cost), "{cost} bytes per state in {bytes}");
    }
}

#[test]
fn parts_outlive_the_set_of_states() {
    let mut tree = Tree::new();
    let mut worker = tree.worker();
    let states: Vec<Vec<u8>> = (0..5000u32).map(|i| [i.to_le_bytes(); 9].concat()).collect();
    let refs: Vec<Ref> = states.iter().map(|s| put(&mut tree, &mut worker, s).expect("new")).collect();
    tree.forget_states(10);
    assert_eq!(tree.len(), 0);
    let mut read = Vec::new();
    for (state, &at) in states.iter().zip(&refs) {
        tree.read(&mut worker, at, &mut read);
        assert_eq!(&read, state);
        assert_eq!(put(&mut tree, &mut worker, state), Some(at));
    }
}
