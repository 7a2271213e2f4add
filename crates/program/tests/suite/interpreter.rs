//! What the interpreter does beyond what SPIN can be asked about: channels without bound, hidden variables, ranges, remote
//! references, faults, and the slow motion of `explain`.

use crate::common::{begin, system, walk, walk_up_to};
use elnath_kernel::{Describe, System};
use elnath_program::Interpreter;
use elnath_program::interpreter::Cause;
use elnath_program::ir::CommandId;

/// A program with some declarations and one process that has these lines.
fn one_process(declarations: &str, lines: &str) -> String {
    format!("{declarations}\ninitial p\nprocess p\n{lines}\n")
}

/// Fires the first transition of the initial state; what it leads to, in words, and its fault.
fn first_step(system: &Interpreter) -> (String, Option<Cause>) {
    let (mut stepper, state, enabled) = begin(system);
    let mut next = Vec::new();
    let fault = stepper.fire(&state, enabled[0], &mut next).err();
    (system.show_state(&next), fault.map(|fault| system.fault_at(fault).cause))
}

#[test]
fn a_channel_without_bound_never_blocks_the_sender() {
    let text = one_process(
        "channel c: unbounded of byte, short\nglobal q: chan = new c\nglobal x: byte",
        "  local l: short\n  at 0:\n    send q(x, -x) do x = x + 1 -> 0\n    receive q(?x, ?l) -> 0",
    );
    let system = system(&text);
    assert_eq!(walk_up_to(&system, 300).deadlocks, 0);
    let (mut stepper, mut state, mut enabled) = begin(&system);
    let mut next = Vec::new();
    for _ in 0..1000 {
        stepper.fire(&state, enabled[0], &mut next).expect("no fault");
        std::mem::swap(&mut state, &mut next);
        stepper.enabled(&state, &mut enabled);
    }
    assert!(
        system.show_state(&state).starts_with("q = [0,0 | 1,-1 | 2,-2 | "),
        "{}",
        system.show_state(&state)
    );
    // Taking them all out again leads back to the bytes of an empty channel.
    for _ in 0..1000 {
        stepper.fire(&state, enabled[1], &mut next).expect("no fault");
        std::mem::swap(&mut state, &mut next);
        stepper.enabled(&state, &mut enabled);
    }
    assert!(system.show_state(&state).starts_with("q = [], "), "{}", system.show_state(&state));
}

#[test]
fn channels_lie_where_their_processes_do() {
    // The channels of two processes grow in turn; everything behind them moves.
    let walked = walk(
        "channel c: unbounded of byte
global turn: byte
initial p, p
process p
  local q: chan = new c
  local n: byte
  at 0:
    when turn == pid && n < 3 send q(n + 10 * pid) do n = n + 1; turn = 1 - turn -> 0
    when n == 3 receive q(10 * pid) -> 1
  at 1:
    receive q(10 * pid + 1) -> 2
  at 2:
    receive q(10 * pid + 2) do assert len(q) == 0 -> 3
  at 3 end:
    exit
",
    );
    assert_eq!((walked.deadlocks, walked.faults.len()), (0, 0));
}

#[test]
fn sorted_sends_random_and_copying_receives() {
    let text = one_process(
        "channel c: 4 of byte, byte\nglobal q: chan = new c\nglobal x: byte",
        "  at 0:
    body 1 to 9 -> 9
  at 1:
    sorted send q(2, 1) -> 2
  at 2:
    sorted send q(1, 9) -> 3
  at 3:
    sorted send q(2, 0) -> 4
  at 4:
    random copy receive q(2, ?x) do assert x == 0 && len(q) == 3 -> 5
  at 5:
    random receive q(2, 1) do assert len(q) == 2; assert poll q(1, _); assert !poll q(2, _) -> 6
  at 6:
    when random poll q(2, _) && !random poll q(3, _) receive q(?x, 9) -> 7
  at 7:
    receive q(?x, _) do assert x == 2 && empty(q) && nonfull(q) -> 9
  at 8:
    nothing
  at 9 end:
    exit",
    );
    let walked = walk(&text);
    assert_eq!((walked.counts(), walked.faults), ((3, 3), vec![]));
}

#[test]
fn hidden_variables_do_not_tell_states_apart() {
    let lines = "  at 0:
    do h = h + 1 -> 0
  at 1 end:
    nothing";
    assert_eq!(walk(&one_process("hidden global h: byte = 7", lines)).counts(), (1, 2));
    assert_eq!(walk(&one_process("global h: byte = 7", lines)).counts(), (256, 257));
    // They keep their value within an atomic sequence, and get back what they began with, of whatever kind.
    let walked = walk(&one_process(
        "channel c: 1 of byte\nhidden global h[2]: byte = {3, 4}\nhidden global q: chan = new c\nglobal x: byte",
        "  at 0:
    do x = h[0]; h[0] = 9; h[1] = 8; q = 0 -> 1 atomic
  at 1:
    do assert x == 3 && h[0] == 9 && q == 0 -> 2
  at 2:
    send q(h[1]) do assert h[0] == 3 && h[1] == 4 -> 3
  at 3 end:
    exit",
    ));
    assert_eq!((walked.counts(), walked.faults), ((4, 4), vec![]));
}

#[test]
fn values_are_cut_to_their_types() {
    let system = system(&one_process(
        "symbols s: a = 1\nglobal b: bit\nglobal c: byte\nglobal u: u12\nglobal v: u32\nglobal h: short\nglobal i: int\nglobal m: symbol s",
        "  at 0:\n    do b = 3; c = 300; u = 5000; v = -1; h = 40000; i = -7; m = 257 -> 0",
    ));
    let expected = "b = 1, c = 44, u = 904, v = -1, h = -25536, i = -7, m = a, p:0@0";
    assert_eq!(first_step(&system), (expected.to_owned(), None));
}

#[test]
fn ranges_have_faults_instead() {
    let text = |value: i32| one_process("global x: -3..300", &format!("  at 0:\n    do x = {value} -> 0"));
    assert_eq!(first_step(&system(&text(-3))), ("x = -3, p:0@0".to_owned(), None));
    assert_eq!(first_step(&system(&text(301))), ("x = 0, p:0@0".to_owned(), Some(Cause::Range)));
    let declared = "global x: 1..3 = 4\ninitial p\nprocess p\n  at 0:\n    nothing\n";
    assert_eq!(
        Interpreter::new(crate::common::program(declared)).err().map(|fault| fault.cause),
        Some(Cause::Range)
    );
}

#[test]
fn every_fault_is_found() {
    let declarations = "channel c: 1 of byte\nchannel r: rendezvous of byte\nglobal q: chan = new c\nglobal z: chan = new r\n\
                        global none: chan\nglobal a[2]: byte\nglobal x: byte";
    for (command, cause) in [
        ("do assert x", Cause::Assertion),
        ("do a[2 + x] = 1", Cause::Index),
        ("when a[-1] == x", Cause::Index),
        ("when 1 / x", Cause::DivisionByZero),
        ("do x = 1 % x", Cause::DivisionByZero),
        ("send none(1)", Cause::NoChannel),
        ("receive none(?x)", Cause::NoChannel),
        ("send q(1, 2)", Cause::Arity),
        ("send z(1, 2)", Cause::Arity),
        ("when poll z(_)", Cause::PollRendezvous),
        ("body 1 to 2", Cause::BlockedBody),
        ("body 3 to 2", Cause::EndlessBody),
        ("body 4 to 2", Cause::TooManyProcesses),
    ] {
        let lines = format!(
            "  at 0 end:\n    {command} -> 5\n  at 1:\n    do x = 1 -> 6\n  at 2:\n    nothing\n  at 3:\n    -> 3\n  at 4:\n    do run p() -> 4\n  \
             at 5 end:\n    nothing\n  at 6:\n    when x == 2 -> 2"
        );
        let walked = walk_up_to(&system(&one_process(declarations, &lines)), 1);
        assert_eq!(walked.faults, [cause], "{command}");
    }
    // Fields too many are noticed where a message is taken, not where one is waited for.
    let receive = |first: &str| {
        let lines = format!(
            "  at 0:\n    {first} -> 1\n  at 1 end:\n    receive q(_, _) -> 2\n  at 2 end:\n    nothing"
        );
        walk(&one_process(declarations, &lines)).faults
    };
    assert_eq!(receive("send q(1)"), [Cause::Arity]);
    assert_eq!(receive("do x = 1"), []);
    // In the condition under which a process moves, it is as if its first command had it.
    let walked = walk(&one_process(
        "global a[2]: byte",
        "  provided a[2]\n  at 0:\n    -> 1\n  at 1 end:\n    nothing",
    ));
    assert_eq!(walked.faults, [Cause::Index]);
}

#[test]
fn a_failed_assertion_does_not_keep_the_rest_from_being_done() {
    let text = one_process(
        "global x: byte\nglobal y: byte",
        "  at 0:\n    body 1 to 3 -> 3\n  at 1:\n    do assert 0; x = 1 -> 2\n  at 2:\n    do y = 1 / (1 - x) -> 3\n  at 3 end:\n    nothing",
    );
    let system = system(&text);
    assert_eq!(first_step(&system), ("x = 1, y = 0, p:0@3".to_owned(), Some(Cause::Assertion)));
    // The fault names the statement within the sequence.
    let (mut stepper, state, enabled) = begin(&system);
    let fault = stepper.fire(&state, enabled[0], &mut Vec::new()).expect_err("there is a fault");
    assert_eq!(system.fault_name(fault), "assertion violated: do assert 0; x = 1");
    assert_eq!(system.fault_at(fault).at.map(|(_, command)| command), Some(CommandId(1)));
}

#[test]
fn remote_references_look_at_other_processes() {
    let walked = walk(
        "initial p, q
process p
  local a[3]: byte
  at 0:
    do a[1] = 5 -> 1
  at 1 there end:
    nothing
process q
  local i: byte = 1
  at 0:
    when p@there do assert p::a[i] == 5 && p[0]::a[i] == 5 && p[0]@(0, 1) -> 1
    when p@0 do assert p::a[i] == 0 && !p[0]@there && location(0) == 0 -> 1
  at 1 end:
    do assert p[1]::a[0] == 0 && !p[7]@(0, 1) -> 2
  at 2 end:
    nothing
",
    );
    assert_eq!((walked.counts(), walked.faults), ((6, 8), vec![]));
}

#[test]
fn processes_are_made_and_numbered_like_a_stack() {
    let walked = walk(
        "channel c: 1 of byte
global got: byte
initial main
process main
  local child: byte
  local q: chan = new c
  at 0:
    do child = run worker(q, 300); assert child == 1 && processes == 2 -> 1
  at 1:
    receive q(?got) do assert got == 44 -> 2
  at 2:
    when processes == 1 -> 3
  at 3 end:
    exit
process worker
  parameter out: chan
  parameter value: byte
  local own: chan = new c
  at 0:
    send out(value) do assert own == 2 && pid == 1 -> 1
  at 1 end:
    exit
",
    );
    assert_eq!((walked.deadlocks, walked.faults), (0, vec![]));
}

#[test]
fn priorities_can_be_changed() {
    let walked = walk(
        "priorities
global x: byte
initial a, b
process a
  at 0:
    do x = x + 1; priority(1) = 9 -> 1
  at 1 end:
    do assert priority(1) == 1 && x == 2 -> 2
  at 2 end:
    nothing
process b
  at 0:
    when x == 1 do x = 2; priority(pid) = 0 -> 1
  at 1 end:
    nothing
",
    );
    // Clamped to 1: then both may move.
    assert_eq!((walked.counts(), walked.faults), ((4, 4), vec![]));
}

#[test]
fn asking_whether_one_another_is_enabled_ends() {
    let walked = walk(
        "initial p, p\nprocess p\n  at 0:\n    when enabled(1 - pid) -> 1\n    when !enabled(1 - pid) -> 1\n  at 1 end:\n    nothing\n",
    );
    assert_eq!(walked.counts(), (4, 5));
}

#[test]
fn endless_atomic_loops_end() {
    // One that goes round and round adds nothing; the way out of it does.
    let walked = walk(&one_process(
        "global x: byte",
        "  at 0:\n    -> 1 atomic\n  at 1:\n    do x = 1 - x -> 2 atomic\n  at 2:\n    -> 1 atomic\n    when x == 1 -> 3\n  at 3 end:\n    exit",
    ));
    assert_eq!(walked.states, 3);
    assert_eq!(walked.deadlocks, 0);
    // Without a way out there is no transition at all, and the process is stuck where it entered.
    let stuck = walk(&one_process("", "  at 0:\n    -> 1 atomic\n  at 1:\n    -> 0 atomic"));
    assert_eq!((stuck.counts(), stuck.deadlocks), ((1, 1), 1));
    // A fault on the way is not lost.
    let faulty = walk(&one_process("", "  at 0:\n    -> 1 atomic\n  at 1:\n    do assert 0 -> 1 atomic"));
    assert!(!faulty.faults.is_empty());
    // One that counts for ever is cut off.
    let counts = "  at 0:\n    -> 1 atomic\n  at 1:\n    do x = x + 1 -> 1 atomic";
    let system = system(&one_process("global x: int", counts));
    assert_eq!(walk_up_to(&system, 1).faults, [Cause::EndlessAtomic]);
}

#[test]
fn a_transition_is_explained_statement_by_statement() {
    let system = system(
        "channel c: rendezvous of byte
global r: chan = new c
global x: byte
initial p, s
process p
  at 0:
    do x = 1; print \"x is %d\\\\n\", x -> 1 atomic
  at 1:
    send r(x + 1) -> 2 atomic
  at 2 end:
    nothing
process s
  local l: byte
  at 0:
    receive r(?l) -> 1 atomic
  at 1:
    do x = l + 1 -> 2  \"x = l + 1\" 
  at 2 end:
    nothing
",
    );
    let (mut stepper, state, enabled) = begin(&system);
    assert_eq!(enabled.len(), 1);
    let micros = system.explain(&state, enabled[0]);
    let text: Vec<String> = micros.iter().map(|micro| system.show_micro(micro)).collect();
    let first = "p:0 do x = 1; print \"x is %d\\\\n\", x";
    assert_eq!(text, [first, "p:0 send r(x + 1) -> s:1 receive r(?l)", "s:1 x = l + 1"]);
    assert_eq!(micros[0].printed, ["x is 1\n"]);
    let mut next = Vec::new();
    stepper.fire(&state, enabled[0], &mut next).expect("no fault");
    assert_eq!(micros[2].after, next);
    assert_eq!(micros.windows(2).filter(|pair| pair[0].after != pair[1].before).count(), 0);
    let values = system.values(&next);
    for (name, value) in [("x", "3"), ("s:1.l", "2")] {
        assert!(values.contains(&(name.to_owned(), value.to_owned())), "{values:?}");
    }
    assert_eq!(system.show_transition(&state, enabled[0]), text.join("; "));
}

#[test]
fn propositions_and_actions_have_names() {
    let system = system(&one_process(
        "global x: byte\nproposition one: x == 1\nproposition \"x is big\": x > 7",
        "  at 0:\n    do x = 8 -> 0",
    ));
    let (mut stepper, state, enabled) = begin(&system);
    assert_eq!((&system as &dyn System).propositions(), ["one", "x is big"]);
    assert_eq!(stepper.valuation(&state), 0);
    let mut next = Vec::new();
    stepper.fire(&state, enabled[0], &mut next).expect("no fault");
    assert_eq!(stepper.valuation(&next), 2);
    let action = stepper.action(&state, enabled[0]);
    assert_eq!(system.action_name(action), "p: do x = 8");
}
