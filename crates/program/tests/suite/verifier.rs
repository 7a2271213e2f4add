//! The verifier: one small program for every way of breaking an invariant, by its number.

use elnath_program::Program;
use elnath_program::ir::{
    Capacity, ChannelId, Command, CommandId, Effect, Expr, GateId, Guard, Init, Loc, Location, Pattern,
    Place, ProcessId, SymbolsId, Sync, Type,
};
use elnath_program::text::parse;
use elnath_program::verify::verify;
use elnath_source::SourceText;

/// A sound program with a little of everything.
fn sound() -> Program {
    let text = "symbols s: a = 1
channel c: 2 of byte
gate g of bit
gate h of bit
vector p g as \"G\"
global x: byte
global a[2]: byte = {1, 2}
global q: chan = new c
initial p
proposition one: x == 1
process p
  parameter n: byte
  local l: byte
  at 0:
    when x == 1 && poll q(1) && p::l == p[0]::l && p@0 do x = a[1] -> 1
    else -> 0
    body 2 to 1 -> 1
    do run p(1) -> 0
  at 1 end:
    exit
  at 2:
    do print \"%e\", x as s -> 3
  at 3:
    send q(1) -> 1
  at 4:
    meet g(?x) where x == 1 do place p at 1 (0) -> 1
";
    let program = parse(&SourceText::new("sound", text)).expect("it can be read");
    assert_eq!(verify(&program), Ok(()));
    program
}

/// The invariants that are broken after a change, each once, and the first breach in words.
fn broken(change: impl FnOnce(&mut Program)) -> (Vec<u8>, String) {
    let mut program = sound();
    change(&mut program);
    let violations = verify(&program).expect_err("it is broken");
    let mut numbers: Vec<u8> = violations.iter().map(|violation| violation.invariant).collect();
    numbers.dedup();
    (numbers, violations[0].to_string())
}

fn command(program: &mut Program, index: usize) -> &mut Command {
    &mut program.processes[0].commands[index]
}

/// Where the process is put by the command at a gate, with which arguments.
fn place(program: &mut Program) -> (&mut Loc, &mut Vec<Expr>) {
    let Effect::Place { at, arguments, .. } = &mut command(program, 7).effects[0] else {
        panic!("it places")
    };
    (at, arguments)
}

#[test]
fn a_violation_says_what_and_where() {
    let (_, text) = broken(|program| command(program, 0).target = Loc(9));
    let at = "process p, command #0 (when x == 1 && poll q(1) && p::l == p[0]::l && p@0 do x = a[1])";
    assert_eq!(text, format!("{at}: it leads to 9 (invariant 9)"));
    let (_, text) = broken(|program| program.initial.push(ProcessId(7)));
    assert_eq!(text, "there is no process 7 (invariant 13)");
}

#[test]
fn every_invariant_can_be_broken() {
    type Change = fn(&mut Program);
    let cases: &[(&[u8], Change)] = &[
        (&[1], |program| program.processes = vec![program.processes[0].clone(); 256]),
        (&[1], |program| program.initial = vec![ProcessId(0); 256]),
        (&[1], |program| program.propositions = vec![program.propositions[0].clone(); 65]),
        (&[1], |program| program.processes[0].locations = vec![Location::default(); 65_536]),
        (&[1], |program| program.globals[2].dims = vec![256]),
        (&[2], |program| program.globals[0].ty = Type::Unsigned(0)),
        (&[2], |program| program.globals[0].ty = Type::Unsigned(33)),
        (&[2], |program| program.globals[0].ty = Type::Signed(8)),
        (&[2], |program| program.globals[0].ty = Type::Range(2, 1)),
        (&[2], |program| program.channels[0].fields[0] = Type::Symbol(SymbolsId(1))),
        (&[3], |program| program.symbols[0].members[0].1 = 256),
        (&[4], |program| program.channels[0].capacity = Capacity::Bounded(0)),
        (&[4], |program| program.channels[0].capacity = Capacity::Bounded(1 << 25)),
        (&[5], |program| program.globals[1].dims = vec![1]),
        (&[5], |program| program.globals[1].dims = vec![0]),
        (&[5], |program| program.globals[1].dims = vec![1 << 30]),
        (&[5], |program| program.globals[0].init = Init::Channel(ChannelId(0))),
        (&[5], |program| program.globals[2].init = Init::Channel(ChannelId(1))),
        (&[5], |program| program.processes[0].locals[1].hidden = true),
        (&[6], |program| program.processes[0].locals[0].dims = vec![1]),
        (&[6], |program| program.processes[0].parameters = 3),
        (&[7], |program| program.processes[0].entry = Loc(5)),
        (&[7], |program| program.processes[0].priority = 0),
        (&[8], |program| program.processes[0].locations[1].groups[0].push(CommandId(99))),
        (&[8], |program| program.processes[0].locations[1].groups[0].push(CommandId(4))),
        (&[8], |program| command(program, 0).guard = Guard::Else),
        (&[9], |program| command(program, 0).target = Loc(5)),
        (&[9], |program| command(program, 0).place = Some(Place { file: 0, line: 1, call: None })),
        (&[10], |program| command(program, 1).sync = command(program, 6).sync.clone()),
        (&[10], |program| command(program, 4).effects = command(program, 0).effects.clone()),
        (&[10], |program| command(program, 4).atomic = true),
        (&[16, 11], |program| command(program, 2).guard = Guard::Body { entry: Loc(2), exit: Loc(2) }),
        (&[11], |program| command(program, 2).guard = Guard::Body { entry: Loc(9), exit: Loc(1) }),
        (&[11], |program| command(program, 0).target = Loc(3)),
        (&[11], |program| program.processes[0].entry = Loc(3)),
        (&[11], |program| command(program, 5).atomic = true),
        (&[11], |program| command(program, 5).guard = Guard::Body { entry: Loc(3), exit: Loc(1) }),
        (&[15], |program| program.gates[0].offers = vec![Type::Unsigned(32)]),
        (&[15], |program| program.gates[0].offers = vec![Type::Unsigned(9), Type::Unsigned(8)]),
        (&[15], |program| program.gates[0].offers = Vec::new()),
        (&[15], |program| program.vectors[0].members.clear()),
        (&[15], |program| program.vectors[0].members.push((ProcessId(0), GateId(1)))),
        (&[15], |program| program.vectors[0].members[0].1 = GateId(2)),
        (&[15], |program| {
            program.processes.push(program.processes[0].clone());
            program.gates[1].offers = vec![Type::Bool];
            program.vectors[0].members.push((ProcessId(1), GateId(1)));
        }),
        (&[15], |program| command(program, 7).atomic = true),
        (&[15], |program| program.processes[0].locations[4].groups.push(vec![CommandId(0)])),
        (&[15], |program| program.processes[0].locations[4].groups[0].push(CommandId(1))),
        (&[15], |program| command(program, 6).sync = command(program, 7).sync.clone()),
        (&[16], |program| *place(program).0 = Loc(9)),
        (&[16], |program| *place(program).0 = Loc(2)),
        (&[16], |program| place(program).1.push(Expr::Const(1))),
        (&[12], |program| program.propositions[0].1 = Expr::Pid),
        (&[12], |program| program.globals[0].init = Init::Value(Expr::Pid)),
    ];
    for (index, (expected, change)) in cases.iter().enumerate() {
        let (found, text) = broken(change);
        assert!(found.starts_with(expected), "case {index}: {found:?}, {text}");
    }
}

#[test]
fn references_are_checked_in_every_corner() {
    let with_guard = |expr: &str, expected: u8| {
        let text = format!(
            "global x: byte\nglobal a[2]: byte\ninitial p\nprocess p\n  local l: byte\n  at 0:\n    when {expr} -> 0\n"
        );
        let program = parse(&SourceText::new("test", text)).expect("it can be read");
        let violations = verify(&program).expect_err(expr);
        assert_eq!(
            violations.iter().map(|violation| violation.invariant).collect::<Vec<_>>(),
            [expected],
            "{expr}"
        );
    };
    with_guard("a", 12);
    with_guard("x[1]", 12);
    with_guard("1 + (x ? a[0] : -a[0][1])", 12);
    with_guard("p::l[1]", 13);
    with_guard("poll x(?l)", 13);
    with_guard("len(a)", 12);
    let (found, _) = broken(|program| {
        let Sync::Send { fields, .. } = &mut command(program, 6).sync else { panic!("it sends") };
        fields.push(Expr::Remote { process: ProcessId(0), pid: None, variable: 2, indices: Vec::new() });
    });
    assert_eq!(found, [13]);
    let (found, _) = broken(|program| {
        let at = Expr::At { process: ProcessId(0), pid: None, locations: vec![Loc(5)] };
        let patterns = vec![Pattern::Match(at)];
        command(program, 6).sync =
            Sync::Receive { channel: Expr::Const(1), patterns, random: false, copy: false };
    });
    assert_eq!(found, [13]);
    // Too many arguments to create it, and to put it elsewhere.
    let (found, _) = broken(|program| program.processes[0].parameters = 0);
    assert_eq!(found, [14, 16]);
}
