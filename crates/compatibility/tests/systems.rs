//! What is not a session automaton is refused, by name and with its place; and small systems whose verdicts are known by hand.

use elnath_cfsm::{Format, Options, lower, parse};
use elnath_compatibility::machines::SessionMachines;
use elnath_compatibility::{CompatibilityAnswer, CompatibilityOptions, Flaw, compatibility};
use elnath_kernel::{Limit, Verdict, replay};
use elnath_program::ir::Program;
use elnath_source::SourceText;

fn program(text: &str) -> Program {
    let (network, _) = parse(&SourceText::new("m", text.to_owned()), Format::Language).expect("a network");
    lower(&network, Options::default()).expect("a small network")
}

fn refused(text: &str) -> String {
    let messages = SessionMachines::of(&program(text)).expect_err("it is refused");
    messages.iter().map(|message| message.text.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_no_session_automaton_is_refused() {
    for (text, why) in [
        (
            "channel f channel g\nmachine P {\n 0 -> 1: f!a\n 0 -> 1: g?b }\nmachine Q { 0 -> 1: g!b 1 -> 2: f?a }",
            "m:4: state `0` of `P` both sends and receives (mixed choice): `g?b` and `f!a` (line 3)",
        ),
        (
            "channel f\nmachine P {\n 0 -> 1: f!a\n 0 -> 2: f!a }\nmachine Q { 0 -> 0: f?a }",
            "m:4: state `0` of `P` is not deterministic: `f!a` and `f!a` (line 3) lead to different states",
        ),
        (
            "channel f\nmachine P { 0 -> 1: f!a.a }\nmachine Q { 0 -> 0: f?a }",
            "m:2: `f!a.a` of state `0` of `P` sends or receives several messages at once",
        ),
        (
            "channel f\nmachine P { 0 -> 1: f!a\n 1 -> 2: tau }\nmachine Q { 0 -> 0: f?a }",
            "m:3: `tau` of state `1` of `P` neither sends nor receives a message",
        ),
        (
            "channel f\nmachine P { 0 -> 1: f!a }\nmachine Q { 0 -> 0: f?a }\nmachine R { 0 -> 1: f!a }",
            "m:4: `R` sends to `f`, as `P` does",
        ),
        (
            "channel f\nmachine P { 0 -> 1: f!a }\nmachine Q { 0 -> 0: f?a }\nmachine R { 0 -> 1: f?a }",
            "m:4: `R` receives from `f`, as `Q` does",
        ),
        ("channel f\nmachine P { 0 -> 1: f!a\n 1 -> 0: f?a }", "m:3: `P` receives from and sends to `f`"),
        (
            "channel f\nmachine P { 0 -> 1: f!a priority 1\n 0 -> 1: f!b }\nmachine Q { 0 -> 0: f?a 0 -> 0: f?b }",
            "state `0` of `P` has transitions of several priorities",
        ),
    ] {
        assert!(refused(text).contains(why), "{text}\n{}", refused(text));
    }
}

fn asked(text: &str, most: u32, memory: usize) -> CompatibilityAnswer {
    let program = program(text);
    let machines = SessionMachines::of(&program).expect("session automata");
    let mut watch = |_: &elnath_kernel::Counters| None;
    compatibility(
        &program,
        &machines,
        &mut CompatibilityOptions { capacities: 1..=most, memory, watch: &mut watch },
    )
}

const BATCHES: &str = "channel f channel g
    machine P { 0 -> 1: f!a 1 -> 2: f!a 2 -> 3: g?b 3 -> 0: g?b }
    machine Q { 0 -> 1: g!b 1 -> 2: g!b 2 -> 3: f?a 3 -> 0: f?a }";

#[test]
fn the_first_capacity_that_settles_it_counts() {
    let answer = asked(BATCHES, 10, usize::MAX);
    assert_eq!((answer.attempts.len(), answer.decisive, answer.stopped), (2, 1, None));
    assert!(matches!(answer.attempts[0].exhaustive, Verdict::Fails(_)));
    assert!(answer.attempts[1].is_compatible());
}

#[test]
fn running_out_is_unknown() {
    let answer = asked(BATCHES, 10, 5_000);
    assert_eq!(answer.stopped, Some(Limit::Memory));
    assert!(matches!(answer.attempts[answer.decisive].verdict(), Verdict::Unknown(Limit::Memory)));
}

/// The channel holds more at first than the capacity: it has room for that.
#[test]
fn what_a_channel_holds_at_first_fits() {
    let text = "channel f of a holds a.a\nmachine P { 0 -> 0: f!a }\nmachine Q { 0 -> 0: f?a }";
    let answer = asked(text, 10, usize::MAX);
    assert_eq!((answer.attempts.len(), answer.attempts[0].is_compatible()), (1, true));
    assert_eq!(answer.attempts[0].counters.states, 3);
}

/// P may receive `a` or `b`. Q sends `b` only after it has received `u`, which P sent before it received `a`; but by then, for want of room
/// within capacity 2, P has always sent `v` after it. That Q has received from a channel with `v` in it does not make `b` depend on `a`.
#[test]
fn a_reception_depends_on_its_own_message_only() {
    let text = "channel pq channel qp channel rp
        machine P { 0 -> 1: pq!u 1 -> 2: rp?a 1 -> 9: qp?b 2 -> 3: pq!v 3 -> 4: qp?c 4 -> 5: qp?c 5 -> 6: qp?d 6 -> 7: qp?b }
        machine Q { 0 -> 1: qp!c 1 -> 2: qp!c 2 -> 3: qp!d 3 -> 4: pq?u 4 -> 5: qp!b 5 -> 6: pq?v }
        machine R { 0 -> 1: rp!a }";
    let answer = asked(text, 2, usize::MAX);
    let attempt = &answer.attempts[1];
    assert!(matches!(attempt.exhaustive, Verdict::Holds(_)), "{:?}", attempt.exhaustive);
    let Some(Verdict::Fails(breach)) = &attempt.input else { panic!("{:?}", attempt.input) };
    assert!(matches!(breach.flaw, Flaw::InputChoice { received: Some(_), .. }), "{breach:?}");
    let machines = SessionMachines::of(&program(text)).expect("session automata");
    let run = replay(&*attempt.system, &breach.steps).expect("a run");
    assert!(breach.flaw.is_real(&attempt.system, &machines, &run));
    assert_eq!(
        breach.flaw.text(&machines),
        "`P` can receive from `rp`, and `b` can be sent to it in `qp` without waiting for that"
    );
}
