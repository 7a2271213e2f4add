//! Every store passes the same suite, and keeps the memory it is given.

use elnath_kernel::rng::Rng;
use elnath_kernel::store::{
    Bitstate, Compact, Exact, Lossy, Marks, Replacement, Replacing, Room, States, Store, Visit,
};
use elnath_kernel::{Coverage, Limit};
use elnath_testkit::{check_marks, check_store};

const SEEDS: std::ops::Range<u64> = 1..4;

#[test]
fn memories_that_only_mark_agree_with_a_hash_set() {
    for seed in SEEDS {
        check_marks(Exact::new(), 0, seed);
        check_marks(Compact::new(64), 0, seed);
        check_marks(Compact::new(40), 0, seed);
        check_marks(Compact::new(51), 0, seed);
        check_marks(Bitstate::new(1 << 24, 3), 0, seed);
        // About a byte per state: hundreds of states are omitted, but no mark is lost.
        check_marks(Bitstate::new(30_000, 2), 3000, seed);
    }
}

#[test]
fn stores_agree_with_a_map() {
    for seed in SEEDS {
        check_store(Exact::new(), None, seed);
        check_store(Replacing::new(Replacement::Random, 24, usize::MAX, Rng::new(seed)), None, seed);
        check_store(Lossy::new(Compact::new(64), 24), None, seed);
        check_store(Lossy::new(Bitstate::new(1 << 24, 4), 24), None, seed);
        for replacement in
            [Replacement::Random, Replacement::LeastRecentlyUsed, Replacement::Stratified { period: 5 }]
        {
            let store = Replacing::new(replacement, 24, 500, Rng::new(seed)).with_thrashing_factor(u64::MAX);
            check_store(store, Some(500), seed);
        }
    }
}

/// Marks states until the memory refuses, and returns how many it took.
fn fill(mut marks: impl Marks, bytes: usize) -> u64 {
    for i in 0u64.. {
        let mut state = [0; 32];
        state[..8].copy_from_slice(&i.to_le_bytes());
        let hash = marks.hash(&state);
        let result = marks.mark(&state, hash, Room { bytes, depth: 0 });
        assert!(marks.bytes() <= bytes, "{} bytes of {bytes}", marks.bytes());
        if result == Err(Limit::Memory) {
            return i;
        }
    }
    unreachable!()
}

#[test]
fn memory_is_kept_and_used() {
    let bytes = 20_000_000;
    let exact = fill(Exact::new(), bytes);
    // 36 bytes in the arena and a table word, filled to at least a half.
    assert!(exact > bytes as u64 / (36 + 16) && exact < bytes as u64 / (36 + 8), "{exact}");
    for bits in [40, 48, 56, 64] {
        let compact = fill(Compact::new(bits), bytes);
        assert!(compact as f64 > 0.85 * bytes as f64 / f64::from(bits / 8), "{bits}: {compact}");
    }
}

/// A table that grows in place loses nothing, whatever the sizes it passes through: the memory decides them.
#[test]
fn compact_tables_keep_every_mark_while_they_grow() {
    for bits in [40, 51, 64] {
        for bytes in [15_000, 40_000, 1_000_000, usize::MAX] {
            let mut marks = Compact::new(bits);
            let room = Room { bytes, depth: 0 };
            let hash = |marks: &Compact, i: u64| marks.hash(&i.to_le_bytes());
            let mut n = 0u64;
            while n < 200_000 && marks.mark(&[], hash(&marks, n), room).is_ok() {
                n += 1;
            }
            assert!(n > 1000 && marks.bytes() <= bytes, "{n} marks, {} bytes", marks.bytes());
            assert_eq!(marks.len(), n);
            assert!((0..n).all(|i| marks.is_marked(&[], hash(&marks, i))), "{bits} bits, {bytes} bytes");
            assert!((n..2 * n).all(|i| !marks.is_marked(&[], hash(&marks, i))), "{bits} bits, {bytes} bytes");
        }
    }
}

/// Budgets from nothing to plenty: a store never takes more than its room and never loops or overflows.
#[test]
fn any_budget_is_kept() {
    for bytes in (0..60_000).step_by(977).chain([usize::MAX - 1, usize::MAX]) {
        let room = Room { bytes, depth: 0 };
        let offer = |mut marks: Exact| {
            let taken = (0u64..3000).take_while(|i| {
                let state = i.to_le_bytes();
                let hash = marks.hash(&state);
                marks.mark(&state, hash, room).is_ok()
            });
            (taken.count(), marks.bytes())
        };
        let (taken, used) = offer(Exact::new());
        assert!(taken == 0 || used <= bytes, "{used} of {bytes}");
        let fits = bytes.saturating_sub(12 * 3000) / 3000 >= 12;
        assert!(!fits || taken == 3000, "{taken} states in {bytes} bytes");
    }
}

#[test]
fn a_replacing_store_keeps_to_its_bytes() {
    let bytes = 300_000;
    let mut store =
        Replacing::new(Replacement::Random, 32, usize::MAX, Rng::new(1)).with_thrashing_factor(u64::MAX);
    for i in 0u64..50_000 {
        let mut state = vec![0; if i % 10 == 0 { 100 } else { 32 }];
        state[..8].copy_from_slice(&i.to_le_bytes());
        let hash = store.hash(&state);
        let Ok(Visit::New(at)) = store.visit(&state, hash, Room { bytes, depth: 0 }) else { panic!("{i}") };
        store.set_status(at, elnath_kernel::store::Status::Visited);
        assert!(store.bytes() <= bytes, "{}", store.bytes());
    }
    assert!(store.replacements() > 40_000 && store.len() > 2300, "{}", store.len());
    let estimate = store.distinct() as f64;
    assert!((estimate - 50_000.0).abs() < 1500.0, "{estimate}");
}

#[test]
fn a_path_that_fills_the_memory_is_an_overflow_and_not_a_replacement() {
    let mut store = Replacing::new(Replacement::Random, 8, 100, Rng::new(1));
    for i in 0u64..101 {
        let state = i.to_le_bytes();
        let hash = store.hash(&state);
        let visit = store.visit(&state, hash, Room::UNLIMITED);
        assert_eq!(visit.is_ok(), i < 100, "{i}");
    }
}

#[test]
fn the_omission_estimate_of_bitstate_is_of_the_right_size() {
    let mut marks = Bitstate::new(100_000, 3);
    let n = 100_000u64;
    for i in 0..n {
        let state = i.to_le_bytes();
        let hash = marks.hash(&state);
        marks.mark(&state, hash, Room::UNLIMITED).expect("fixed size");
    }
    let omitted = (n - marks.len()) as f64;
    let Coverage::Lossy { expected_omissions, .. } = marks.coverage() else { panic!("bitstate is lossy") };
    // The note computes a fraction of 8.5e-3 for 8 bits per state and k = 3.
    assert!((omitted / n as f64 - 8.5e-3).abs() < 1.5e-3, "{omitted}");
    assert!((expected_omissions - omitted).abs() < 0.15 * omitted, "{expected_omissions} against {omitted}");
}

#[test]
fn the_omission_estimate_of_hash_compaction_is_of_the_right_size() {
    let mut marks = Compact::new(40);
    for i in 0..1_000_000u64 {
        let state = i.to_le_bytes();
        let hash = marks.hash(&state);
        marks.mark(&state, hash, Room::UNLIMITED).expect("there is room");
    }
    let Coverage::Lossy { expected_omissions, .. } = marks.coverage() else { panic!("compaction is lossy") };
    assert!((0.4..0.5).contains(&expected_omissions), "{expected_omissions}");
    assert!(marks.len() >= 999_995);
}
