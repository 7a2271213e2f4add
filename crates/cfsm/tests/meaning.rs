//! What networks mean: their state spaces, as the interpreter walks them.

use elnath_cfsm::{Format, Options, lower, parse};
use elnath_kernel::{System, Transition};
use elnath_program::Interpreter;
use elnath_source::SourceText;
use std::collections::HashSet;

fn system(text: &str, format: Format, capacity: Option<u32>) -> Interpreter {
    let (network, warnings) = parse(&SourceText::new("test", text), format).expect("a good text");
    assert!(warnings.is_empty(), "{warnings:?}");
    Interpreter::new(lower(&network, Options { capacity }).expect("a small network"))
        .expect("an initial state")
}

/// States and transitions, at most `most` states; no transition may have a fault.
fn count(system: &Interpreter, most: usize) -> (usize, usize) {
    let mut stepper = system.stepper();
    let (mut initial, mut next, mut enabled) = (Vec::new(), Vec::new(), Vec::<Transition>::new());
    stepper.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let mut todo = vec![initial];
    let mut transitions = 0;
    while let Some(state) = todo.pop() {
        stepper.enabled(&state, &mut enabled);
        for &t in &enabled {
            transitions += 1;
            stepper.fire(&state, t, &mut next).expect("machines have no faults");
            if seen.len() < most && seen.insert(next.clone()) {
                todo.push(next.clone());
            }
        }
    }
    (seen.len(), transitions)
}

const CONNECTION: &str = "channel f1 from P1 to P2 of a, b channel f2 from P2 to P1 of c
    machine P1 { 0 -> 1: f1!a  1 -> 0: f1!b  1 -> 0: f2?c }
    machine P2 { 0 -> 1: f1?a  1 -> 0: f1?b  1 -> 0: f2!c }";

#[test]
fn the_same_protocol_in_all_four_ways() {
    let pairs = "machine P1 { 0 -> 1: P2!a  1 -> 0: P2!b  1 -> 0: P2?c }
        machine P2 { 0 -> 1: P1?a  1 -> 0: P1?b  1 -> 0: P1!c }";
    let bare = CONNECTION.replace("f1!", "!").replace("f1?", "?").replace("f2!", "!").replace("f2?", "?");
    let session = "P1: rec x . P2!a; { P2!b; x, P2?c; x }  P2: rec x . P1?a; { P1?b; x, P1!c; x }";
    let fsa = ".outputs P1\n.state graph\n0 1 ! a 1\n1 P2 ! b 0\n1 1 ? c 0\n.marking 0\n.end
        .outputs P2\n.state graph\n0 0 ? a 1\n1 0 ? b 0\n1 P1 ! c 0\n.marking 0\n.end\n";
    let scm = "scm c : nb_channels = 2 ; parameters : real a ; real b ; real c ;
        automaton P1 : initial : 0 state 0 : to 1 : when true , 0 ! a ;
            state 1 : to 0 : when true , 0 ! b ; to 0 : when true , 1 ? c ;
        automaton P2 : initial : 0 state 0 : to 1 : when true , 0 ? a ;
            state 1 : to 0 : when true , 0 ? b ; to 0 : when true , 1 ! c ;";
    for (text, format) in [
        (CONNECTION, Format::Language),
        (pairs, Format::Language),
        (&bare, Format::Language),
        (session, Format::Session),
        (fsa, Format::Fsa),
        (scm, Format::Scm),
    ] {
        assert_eq!(count(&system(text, format, Some(5)), 1000), (24, 38), "{format:?}");
        assert_eq!(count(&system(text, format, None), 1000).0, 1000, "{format:?}");
    }
}

/// The counts of the connection protocol with n places, as docs/experiments/connect-disconnect.md has them.
#[test]
fn the_connection_protocol_has_as_many_states_as_it_should() {
    for n in 1..=20 {
        let found = count(&system(CONNECTION, Format::Language, Some(n as u32)), 1000);
        assert_eq!(found, (n * n / 4 + 3 * (n + 1), n * n / 4 + 6 * n + 2), "{n} places");
    }
}

#[test]
fn words_are_taken_completely_or_not_at_all() {
    let text = "net n { place q of a, b holds a.b.a  place r of c  t: q?a.b -> r!c.c  u: q?a.a -> r!c }";
    assert_eq!(count(&system(text, Format::Language, None), 100), (2, 1));
    // With room for one there is no room for two.
    assert_eq!(count(&system(text, Format::Language, Some(1)), 100), (1, 0));
    // What is taken makes room for what is put.
    let turn = "channel q of a, b holds a.a capacity 2 machine M { 0 -> 1: q?a, q!b  1 -> 2: q!a.a }";
    assert_eq!(count(&system(turn, Format::Language, None), 100), (2, 1));
}

#[test]
fn priorities_hold_others_of_the_machine_back() {
    let text = "channel f of a machine M { X -> Y  Y -> X: f!a  Y -> Z: f?a priority 1 }
        machine N { 0 -> 1 }";
    assert_eq!(count(&system(text, Format::Language, None), 100), (10, 13));
    let without = text.replace(" priority 1", "");
    assert_eq!(count(&system(&without, Format::Language, None), 100).0, 100);
}

#[test]
fn lossy_channels_lose_at_the_front() {
    let scm = "scm c : nb_channels = 1 ; lossy : 0 parameters : int a ; int b ;
        automaton P : initial : 0 state 0 : to 1 : when true , 0 ! a ; state 1 : to 2 : when true , 0 ! b ; state 2 :
        automaton Q : initial : 0 state 0 : to 1 : when true , 0 ? b ; state 1 :";
    // P at 0; at 1 with a or nothing; at 2 with ab, b, nothing, and nothing with Q at 1.
    assert_eq!(count(&system(scm, Format::Scm, None), 100), (7, 7));
}
