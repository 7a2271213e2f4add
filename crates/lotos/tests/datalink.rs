//! The Datalink protocol of the 1991 paper from its LOTOS text: 20N + 4 states and 28N + 2 transitions for N messages.

use elnath_kernel::{Successors, System};
use elnath_lotos::Range;
use elnath_source::SourceText;
use std::collections::HashSet;

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

#[test]
fn the_sizes_are_linear_in_the_number_of_messages() {
    let text = include_str!("../../../examples/lotos/datalink.lotos");
    for n in 1..=80 {
        let range = Range { sort: "Msg".to_owned(), least: 0, greatest: n - 1 };
        let source = SourceText::new("datalink.lotos", text);
        let (system, warnings) = elnath_lotos::read(source, &|_| None, &[range]).expect("it is well formed");
        assert!(warnings.is_empty(), "{warnings:?}");
        let n = n as usize;
        assert_eq!(size(&system), (20 * n + 4, 28 * n + 2), "N = {n}");
    }
}
