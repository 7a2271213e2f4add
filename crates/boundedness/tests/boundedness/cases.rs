//! The report's examples as reconstructed, and the counterexamples to its misprints.

use elnath_boundedness::classes::Class;
use elnath_boundedness::points::Points;
use elnath_boundedness::pump::{firable_included, pump};
use elnath_boundedness::theta::{PairCondition, PairSearch};
use elnath_boundedness::view::{Effect, Fifos, Parts, ProgramFifos};
use elnath_boundedness::{BoundednessAnswer, BoundednessOptions, Reason, boundedness, observe};
use elnath_cfsm::{Format, Options as Reading, lower, parse};
use elnath_kernel::Verdict;
use elnath_program::Interpreter;
use elnath_source::SourceText;
use std::path::Path;

pub(crate) fn load(name: &str) -> Interpreter {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let text = std::fs::read_to_string(&path).expect("the case is there");
    let (network, _) = parse(&SourceText::new(name, text), Format::Language).expect("a good text");
    Interpreter::new(lower(&network, Reading::default()).unwrap()).unwrap().keeping_all_ways()
}

fn ask(system: &Interpreter, change: impl FnOnce(&mut BoundednessOptions<'_>)) -> BoundednessAnswer {
    let mut watch = |_: &elnath_kernel::Counters| None;
    let mut options = BoundednessOptions {
        relation: PairCondition::Th93,
        search: None,
        window: usize::MAX,
        statically: true,
        depth: 2000,
        firings: 20_000,
        memory: 1 << 26,
        seed: 1,
        watch: &mut watch,
    };
    change(&mut options);
    boundedness(system, &mut options)
}

fn verdict(answer: &BoundednessAnswer) -> &'static str {
    match answer.verdict {
        Verdict::Holds(_) => "bounded",
        Verdict::Fails(_) => "unbounded",
        Verdict::Unknown(_) => "unknown",
    }
}

#[test]
fn the_examples_of_the_report() {
    let bounds = |answer: &BoundednessAnswer| -> Vec<Option<u64>> {
        answer.channels.iter().map(|channel| channel.bound.as_ref().map(|bound| bound.most)).collect()
    };
    for (name, expected, statically) in [
        ("examples/fifo/s1.fifo", "unbounded", [None, None]),
        ("examples/fifo/s2.fifo", "unbounded", [None, Some(1)]),
        ("examples/fifo/connect-disconnect.fifo", "unbounded", [None, None]),
        ("examples/fifo/s3.fifo", "unknown", [None, None]),
        ("examples/fifo/s4.fifo", "unbounded", [None, None]),
        ("tests/cases/cfsm/long-cycle.fifo", "bounded", [Some(1), Some(1)]),
    ] {
        let system = load(name);
        for relation in [PairCondition::Th93, PairCondition::Theta] {
            for search in [None, Some(PairSearch::DepthFirst), Some(PairSearch::BreadthFirst)] {
                let answer = ask(&system, |options| (options.relation, options.search) = (relation, search));
                assert_eq!(verdict(&answer), expected, "{name} {relation:?} {search:?}");
                assert_eq!(bounds(&answer), statically, "{name}");
            }
        }
    }
}

/// The inequalities bound f2 only; that f1 is bounded too, by 5, is seen by walking (or by forgetting the order only).
#[test]
fn the_second_form_of_theta_would_be_wrong_here() {
    let system = load("tests/cases/cfsm/literal-false-alarm.fifo");
    for relation in [PairCondition::Th93, PairCondition::Theta] {
        let answer = ask(&system, |options| (options.relation, options.statically) = (relation, false));
        assert_eq!(verdict(&answer), "bounded");
        let longest: Vec<usize> = answer.channels.iter().map(|channel| channel.longest).collect();
        assert_eq!(longest, [5, 2]);
        assert_eq!((answer.stages[0].figures.states, answer.stages[0].figures.fired), (26, 37));
    }
}

#[test]
fn a_memory_may_prune_the_pair() {
    let system = load("tests/cases/cfsm/pruning-loses.fifo");
    let with = |search| ask(&system, |options| options.search = search);
    assert_eq!(verdict(&with(Some(PairSearch::DepthFirst))), "unknown");
    assert_eq!(verdict(&with(Some(PairSearch::WithoutMemory))), "unbounded");
    assert_eq!(verdict(&with(Some(PairSearch::BreadthFirst))), "unbounded");
    let retried = with(None);
    assert_eq!(verdict(&retried), "unbounded");
    assert!(retried.stages.len() > 1, "the first search is not enough");
}

/// Loops are looked for on the whole path, whatever the window.
#[test]
fn a_window_does_not_lose_loops() {
    let system = load("tests/cases/cfsm/long-cycle.fifo");
    let answer = ask(&system, |options| {
        (options.window, options.statically, options.search) = (3, false, Some(PairSearch::WithoutMemory));
    });
    assert_eq!((verdict(&answer), answer.stages[0].figures.states), ("bounded", 8));
}

/// The report's extension of the relation for priorities (its 4.3.2) is true of a pair of this bounded system: equal
/// control, longer contents, and whatever is firable before is firable after. Replaying refutes it.
#[test]
fn priorities_need_the_replay() {
    let system = load("tests/cases/cfsm/priority-false-alarm.fifo");
    let points = Points::new(system.program());
    let mut fifos = ProgramFifos::new(&system, &observe::observe(system.program(), &points));
    let (mut w, mut state, mut next) = (Vec::new(), system.initial_state().to_vec(), Vec::new());
    let (mut enabled, mut effect) = (Vec::new(), Effect::default());
    for _ in 0..2 {
        fifos.enabled(&state, &mut enabled);
        w.push(enabled[0]);
        fifos.fire(&state, enabled[0], &mut next, &mut effect).unwrap();
        std::mem::swap(&mut state, &mut next);
    }
    let (mut before, mut after) = (Parts::default(), Parts::default());
    fifos.split(system.initial_state(), &mut before);
    fifos.split(&state, &mut after);
    assert_eq!(before.control, after.control);
    assert_eq!((before.contents[0].len(), after.contents[0].len()), (0, 1));
    assert!(firable_included(&mut fifos, system.initial_state(), &state), "the extended relation is true");
    assert!(
        pump(&mut fifos, system.initial_state(), &w, &mut |_| true).is_none(),
        "but it cannot be repeated"
    );
    let answer = ask(&system, |options| options.statically = false);
    assert_eq!(verdict(&answer), "bounded");
    assert!(answer.stages[0].figures.refuted > 0);
}

#[test]
fn classes_are_recognised() {
    let class = |text: &str| {
        let (network, _) = parse(&SourceText::new("test", text), Format::Language).expect("a good text");
        let system = Interpreter::new(lower(&network, Reading::default()).unwrap()).unwrap();
        let answer = ask(&system, |_| {});
        (answer.class, verdict(&answer))
    };
    let receiver = "machine Q { 0 -> 0: f?a 0 -> 0: f?b 0 -> 0: f?c }";
    let sender = |lines: &str| format!("channel f of a, b, c machine P {{ {lines} }} {receiver}");
    assert_eq!(
        class("channel f machine P { 0 -> 0: f!a } machine Q { 0 -> 0: f?a }"),
        (Some(Class::OneLetter), "unbounded")
    );
    assert_eq!(
        class(&sender("0 -> 1: f!c 1 -> 2: f!a 2 -> 1: f!b")),
        (Some(Class::Monogeneous), "unbounded")
    );
    assert_eq!(class(&sender("0 -> 0: f!a 0 -> 1 1 -> 1: f!b")), (Some(Class::Linear), "unbounded"));
    assert_eq!(
        class(&sender("0 -> 1: f!a 1 -> 0: f!b 0 -> 2: f!c 2 -> 2: f!c")),
        (Some(Class::LinearOnWords), "unbounded")
    );
    // Any word of a and b, but the other machine has to answer each.
    let turns =
        "machine P { 0 -> 1: Q!a 0 -> 1: Q!b 1 -> 0: Q?c } machine Q { 0 -> 1: P?a 0 -> 1: P?b 1 -> 0: P!c }";
    assert_eq!(class(turns), (Some(Class::Monogeneous), "bounded"), "both channels are statically bounded");
    let flood =
        "machine P { 0 -> 1: Q!a 0 -> 0: Q!b 1 -> 0: Q?c } machine Q { 0 -> 1: P?a 0 -> 0: P?b 1 -> 0: P!c }";
    assert_eq!(class(flood), (Some(Class::HalfDuplex), "unbounded"));
    let neither =
        "machine P { 0 -> 0: Q!a 0 -> 0: Q!b 0 -> 0: Q?c } machine Q { 0 -> 0: P!c 0 -> 0: P?a 0 -> 0: P?b }";
    assert_eq!(class(neither), (None, "unbounded"));
}

/// Where the class decides, the states are walked through all the same: least capacities, and runs that need them.
#[test]
fn least_capacities_where_the_class_decides() {
    let system = load("tests/cases/cfsm/order-decides.fifo");
    let capacities = |answer: &BoundednessAnswer| -> Vec<(usize, u64, &'static str)> {
        let of = |channel: &elnath_boundedness::ChannelAnswer| {
            let bound = channel.bound.as_ref().expect("bounded");
            (channel.longest, bound.most, bound.by)
        };
        answer.channels.iter().map(of).collect()
    };
    let answer = ask(&system, |_| {});
    assert!(answer.reason == Some(Reason::Explored), "{:?}", answer.verdict);
    assert_eq!(capacities(&answer), [(2, 2, "half-duplex"), (1, 1, "half-duplex")]);
    for (channel, steps) in answer.channels.iter().zip([2, 5]) {
        assert_eq!(channel.run.len(), steps, "the shortest run");
        elnath_kernel::replay(&system, &channel.run).expect("it is a run");
    }
    // Without the time to see all states the class still decides.
    let answer = ask(&system, |options| options.firings = 1);
    assert!(answer.reason == Some(Reason::Class), "{:?}", answer.verdict);
    assert_eq!(capacities(&answer), [(1, 2, "half-duplex"), (0, 1, "half-duplex")]);
}

/// A limit on time is noticed within a transition or two, however much work each of them is.
#[test]
fn the_clock_is_looked_at_when_transitions_are_long() {
    // Each transition of the process is an atomic sequence of some 20,000 steps.
    let model = SourceText::new(
        "test",
        "channel c: unbounded of byte\nglobal q: chan = new c\nglobal n: short\ninitial main\n\n\
         process main\n  at begin:\n    do n = 0 -> loop atomic\n  at loop:\n    \
         when n < 20000 do n = n + 1 -> loop atomic\n    when n >= 20000 -> over\n  at over:\n    \
         send q(1) -> begin\n",
    );
    let program = elnath_program::text::parse(&model).unwrap_or_else(|messages| panic!("{messages:?}"));
    let system = Interpreter::new(program).unwrap().keeping_all_ways();
    for search in
        [PairSearch::DepthFirst, PairSearch::WithoutMemory, PairSearch::Backwards, PairSearch::BreadthFirst]
    {
        let mut looks = 0;
        let mut watch = |_: &elnath_kernel::Counters| {
            looks += 1;
            (looks > 8).then_some(elnath_kernel::Limit::Time)
        };
        let mut options = BoundednessOptions {
            relation: PairCondition::Th93,
            search: Some(search),
            // No pair is looked at, so that the search goes on.
            window: 0,
            statically: false,
            depth: 2000,
            firings: 20_000,
            memory: 1 << 26,
            seed: 1,
            watch: &mut watch,
        };
        let answer = boundedness(&system, &mut options);
        let Verdict::Unknown(limit) = answer.verdict else { panic!("{:?}", answer.verdict) };
        assert_eq!(limit, elnath_kernel::Limit::Time);
        let fired = answer.stages[0].figures.fired;
        assert!((1..200).contains(&fired), "{search:?}: {fired} transitions for eight looks at the clock");
    }
}
