//! The static methods on what is not a system of machines: programs with variables, arrays, parameters and processes that
//! are created.

use elnath_boundedness::bags::bag_bounds;
use elnath_boundedness::lift::{Lifted, lift};
use elnath_boundedness::observe::observe;
use elnath_boundedness::points::{Channels, Points};
use elnath_boundedness::skeleton::Skeleton;
use elnath_boundedness::static_bound::static_bounds;
use elnath_boundedness::theta::PairCondition;
use elnath_boundedness::{BoundednessOptions, boundedness};
use elnath_kernel::Verdict;
use elnath_program::ir::{Expr, ProcessId, Sync};
use elnath_program::{Interpreter, Program, text};

fn program(text: &str) -> Program {
    text::parse(&elnath_source::SourceText::new("test", text))
        .unwrap_or_else(|messages| panic!("{messages:?}"))
}

fn bounds(text: &str) -> Vec<(String, Option<u64>)> {
    let program = program(text);
    let skeleton = Skeleton::new(&program, &Points::new(&program));
    let bounds = static_bounds(&skeleton, &mut || true);
    let named = skeleton.channels.iter().zip(bounds);
    named.map(|(channel, bound)| (channel.name.clone(), bound.map(|bound| bound.most))).collect()
}

const CREATED: &str = "\
channel c0: unbounded of byte
global q: chan = new c0
initial main

process main
  local n: byte
  at begin:
    when n < 3 do n = n + 1; run worker(q) -> begin
    -> over
  at over end:

process worker
  parameter dest: chan
  at first:
    send dest(1) -> second
  at second:
    send dest(2) -> third
  at third end:
    exit
";

#[test]
fn bounds_follow_channels_through_parameters() {
    // The static analyses do not look at variables: any number of workers may be created, so that there is no bound.
    assert_eq!(bounds(CREATED), [("q".to_owned(), None)]);
    // As many workers as there are places that create one, each of which sends twice.
    let two = CREATED.replace(
        "when n < 3 do n = n + 1; run worker(q) -> begin\n    -> over",
        "do run worker(q) -> next\n  at next:\n    do run worker(q) -> over",
    );
    assert_eq!(bounds(&two), [("q".to_owned(), Some(4))]);
    // A channel that came out of a message may be any: nothing is known.
    let blind = two.replace(
        "  at first:\n    send dest(1)",
        "  at first:\n    receive q(?dest) -> first\n    send dest(1)",
    );
    assert_eq!(bounds(&blind), [("q".to_owned(), None)]);
}

/// A delay is a variable that counts: it is part of the control, the report's D(S), so that a pair has the same delays.
const DELAYED: &str = "\
channel c0: unbounded of byte
global q: chan = new c0
global ticks: 0..3
initial sender, clock

process sender
  at 0:
    when ticks == 3 send q(1) do ticks = 0 -> 0

process clock
  at 0:
    when ticks < 3 do ticks = ticks + 1 -> 0
";

#[test]
fn delays_are_part_of_the_control() {
    let system = Interpreter::new(program(DELAYED)).expect("an initial state");
    let mut watch = |_: &elnath_kernel::Counters| None;
    let mut options = BoundednessOptions {
        relation: PairCondition::Th93,
        search: None,
        window: usize::MAX,
        statically: true,
        depth: 100,
        firings: 1000,
        memory: 1 << 20,
        seed: 1,
        watch: &mut watch,
    };
    let Verdict::Fails(flood) = boundedness(&system, &mut options).verdict else { panic!("it is unbounded") };
    // Three ticks and one send.
    assert_eq!((flood.prefix.len(), flood.pumped.rounds[0].len()), (0, 4));
}

/// Lengths that are compared with constants need only be looked at so far; others make a channel part of the control.
#[test]
fn what_is_seen_of_channels() {
    let observed = |condition: &str| {
        let text = CREATED.replace("when n < 3", &format!("when {condition}"));
        let program = program(&text);
        let points = Points::new(&program);
        let observed = observe(&program, &points);
        (observed.ahead, observed.close.values().copied().collect::<Vec<_>>())
    };
    assert_eq!(observed("len(q) < 3"), (5, vec![]));
    assert_eq!(observed("empty(q) || nonfull(q)"), (1, vec![]));
    assert_eq!(observed("!len(q)"), (1, vec![]));
    assert_eq!(observed("len(q) < n"), (1, vec!["its length as a number"]));
    assert_eq!(observed("random poll q(1)"), (1, vec!["a poll that searches"]));
    assert_eq!(observed("poll ahead 2 q(1)"), (3, vec![]));
}

#[test]
fn expressions_name_channels() {
    let program = program(CREATED);
    let points = Points::new(&program);
    let Sync::Send { channel, .. } = &program.processes[1].commands[0].sync else { panic!("it sends") };
    let Channels::Known(sites) = points.of(Some(ProcessId(1)), channel) else { panic!("it is known") };
    assert_eq!(sites.into_iter().collect::<Vec<_>>(), points.sites());
    assert_eq!(points.of(None, &Expr::Const(3)), Channels::Any);
    let observed = observe(&program, &points);
    assert!(observed.close.is_empty() && observed.ahead == 1);
    assert_eq!(
        bag_bounds(&Skeleton::new(&program, &points), 1000, &mut || true),
        None,
        "processes are created"
    );
}

#[test]
fn capacities_are_lifted_by_name() {
    let bounded = CREATED.replace("unbounded", "2");
    let all = Lifted { name: "q".to_owned(), capacity: 2 };
    assert_eq!(lift(&mut program(&bounded), None), Ok(vec![all.clone()]));
    assert_eq!(lift(&mut program(&bounded), Some(&["q".to_owned()])), Ok(vec![all]));
    let messages = lift(&mut program(&bounded), Some(&["p".to_owned()])).unwrap_err();
    assert_eq!(messages[0].text, "the model has no channel `p`");
}
