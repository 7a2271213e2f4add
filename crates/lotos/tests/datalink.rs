//! The Datalink protocol of the 1991 paper from its LOTOS text: 20N + 4 states and 28N + 2 transitions for N messages; and with the values that
//! the paper's compiler kept in its states, the numbers of the paper's table.

use elnath_kernel::{Successors, System};
use elnath_lotos::{Flattened, LotosSystem, NotFlat, Range, StateIdentity};
use elnath_source::SourceText;
use std::collections::HashSet;
use std::sync::Arc;

/// States and transitions.
fn size(system: &dyn System) -> (usize, usize) {
    let mut stepper = system.stepper();
    let (mut initial, mut successors) = (Vec::new(), Successors::default());
    stepper.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let (mut stack, mut transitions) = (vec![initial], 0);
    while let Some(state) = stack.pop() {
        stepper.successors(&state, &mut successors);
        for next in successors.iter() {
            assert!(next.fault.is_none());
            transitions += 1;
            if seen.insert(next.state.to_vec()) {
                stack.push(next.state.to_vec());
            }
        }
    }
    (seen.len(), transitions)
}

/// The protocol with so many messages.
fn datalink(messages: usize, identity: StateIdentity) -> Arc<LotosSystem> {
    let text = include_str!("../../../examples/lotos/datalink.lotos");
    let range = Range { sort: "Msg".to_owned(), least: 0, greatest: messages as i64 - 1 };
    let source = SourceText::new("datalink.lotos", text);
    let (system, warnings) = elnath_lotos::read(source, &|_| None, &[range]).expect("it is well formed");
    assert!(warnings.is_empty(), "{warnings:?}");
    Arc::new(system.with_identity(identity).expect("its first state is no fault"))
}

#[test]
fn the_sizes_are_linear_in_the_number_of_messages() {
    for n in 1..=80 {
        let system = datalink(n, StateIdentity::Live);
        assert_eq!(NotFlat::of(&system), None);
        let expected = (20 * n + 4, 28 * n + 2);
        assert_eq!(size(&*system), expected, "N = {n}, terms");
        assert_eq!(size(&Flattened::new(system)), expected, "N = {n}, flattened");
    }
}

#[test]
fn with_the_values_of_1990_the_sizes_are_those_of_the_table() {
    for n in 1..=80 {
        let system = datalink(n, StateIdentity::Caesar90);
        let expected = (16 * n * n + 42 * n + 1, 24 * n * n + 48 * n);
        if n <= 20 {
            assert_eq!(size(&*system), expected, "N = {n}, terms");
        }
        assert_eq!(size(&Flattened::new(system)), expected, "N = {n}, flattened");
    }
}
