//! The description of commands against what the interpreter does with them, on random programs.

use elnath_kernel::{Stepper, System, Transition};
use elnath_program::analysis::control::inner;
use elnath_program::analysis::{Observation, Operation, communicates, observes, operations};
use elnath_program::interpreter::Micro;
use elnath_program::ir::{Command, CommandId, Expr, Guard, Loc, ProcessId, ProcessType, VariableRef};
use elnath_program::layout::{LOCATION, Slot, Tables};
use elnath_program::{Interpreter, Program};
use elnath_testkit::{random_program, random_program_with_gates};
use std::collections::{HashSet, VecDeque};
use std::ops::Range;

/// Every second one has gates.
fn any_program(seed: u64) -> Program {
    if seed.is_multiple_of(2) { random_program(seed) } else { random_program_with_gates(seed) }
}

#[test]
fn every_expression_is_evaluated_once() {
    let mut all = 0;
    for seed in 0..2_000 {
        for command in any_program(seed).processes.iter().flat_map(|kind| &kind.commands) {
            let (mut there, mut evaluated): (Vec<*const Expr>, Vec<*const Expr>) = (Vec::new(), Vec::new());
            command.for_each_expr(&mut |expr| there.push(expr));
            for operation in operations(command) {
                if let Operation::Evaluate(expr, _) = operation {
                    expr.for_each(&mut |expr| evaluated.push(expr));
                }
            }
            there.sort_unstable();
            evaluated.sort_unstable();
            assert_eq!(there, evaluated, "seed {seed}: {command:?}");
            all += there.len();
        }
    }
    assert!(all > 20_000, "{all} expressions are too few");
}

/// What may change when commands are executed together, by one process each.
#[derive(Default)]
struct May {
    globals: HashSet<u32>,
    /// With the number of the process.
    locals: HashSet<(usize, u32)>,
    channels: bool,
    /// Kinds of which the first process may be put elsewhere.
    placed: HashSet<ProcessId>,
    create: bool,
    end: bool,
    priorities: bool,
}

impl May {
    fn add(&mut self, pid: usize, kind: &ProcessType, command: &Command) {
        for operation in operations(command) {
            match operation {
                Operation::Evaluate(..) | Operation::Print => {}
                Operation::Body { entry, exit } => {
                    let within = inner(kind, entry, exit).into_iter().flat_map(|at| kind.leaving(at));
                    within.for_each(|(_, command)| self.add(pid, kind, command));
                }
                Operation::Send { .. } | Operation::Receive { copy: false, .. } => self.channels = true,
                Operation::Receive { copy: true, .. } => {}
                Operation::Store(to, _) => match to.variable {
                    VariableRef::Global(global) => drop(self.globals.insert(global)),
                    VariableRef::Local(local) => drop(self.locals.insert((pid, local))),
                },
                Operation::Create { .. } => self.create = true,
                // What is stored follows.
                Operation::Meet { .. } => {}
                Operation::Place { process, .. } => drop(self.placed.insert(process)),
                Operation::SetPriority => self.priorities = true,
                Operation::End => self.end = true,
            }
        }
    }
}

fn bytes(slot: &Slot, base: usize) -> Range<usize> {
    let elements: u32 = slot.dims.iter().product();
    let from = base + slot.offset;
    from..from + slot.width.size() * elements as usize
}

/// Whether the change from one state to the other is one of those that are described.
fn check_changes(system: &Interpreter, micro: &Micro) -> Result<(), String> {
    let (program, layout) = (system.program(), system.layout());
    let command = |process: ProcessId, id: CommandId| {
        let kind = &program.processes[process.index()];
        (kind, &kind.commands[id.index()])
    };
    let (mut may, mut actors) = (May::default(), vec![micro.pid]);
    let (kind, own) = command(micro.process, micro.command);
    may.add(micro.pid, kind, own);
    if let Some(partner) = micro.partner {
        let (kind, other) = command(partner.process, partner.command);
        may.add(partner.pid, kind, other);
        actors.push(partner.pid);
    }
    for &(pid, id) in micro.meeting.iter().flat_map(|meeting| &meeting.members).skip(1) {
        let mut tables = Tables::default();
        tables.read(layout, &micro.before);
        let process = ProcessId(u32::from(micro.before[tables.processes[pid] as usize]));
        let (kind, other) = command(process, id);
        may.add(pid, kind, other);
        actors.push(pid);
    }
    let (before, after) = (&micro.before, &micro.after);
    let (mut old, mut new) = (Tables::default(), Tables::default());
    old.read(layout, before);
    new.read(layout, after);
    let differs = |a: Range<usize>, b: Range<usize>| before[a] != after[b];
    for (global, slot) in (0..).zip(&layout.slots) {
        let at = bytes(slot, 0);
        let is_hidden = program.globals[global as usize].hidden;
        if differs(at.clone(), at) && !is_hidden && !may.globals.contains(&global) {
            return Err(format!("global {global} changed"));
        }
    }
    if differs(layout.globals_size..old.count, layout.globals_size..new.count) && !may.channels {
        return Err("a global channel changed".to_owned());
    }
    if new.processes.len() > old.processes.len() && !may.create {
        return Err("a process was created".to_owned());
    }
    if new.processes.len() < old.processes.len() && !may.end {
        return Err("a process ended".to_owned());
    }
    for (pid, (&a, &b)) in old.processes.iter().zip(&new.processes).enumerate() {
        let (a, b) = (a as usize, b as usize);
        let frame = &layout.frames[usize::from(before[a])];
        let first = old.processes.iter().position(|&other| before[other as usize] == before[a]);
        let placed = first == Some(pid) && may.placed.contains(&ProcessId(u32::from(before[a])));
        for (local, slot) in (0..).zip(&frame.slots) {
            if differs(bytes(slot, a), bytes(slot, b)) && !placed && !may.locals.contains(&(pid, local)) {
                return Err(format!("local {local} of process {pid} changed"));
            }
        }
        let location = LOCATION..LOCATION + if frame.wide_location { 2 } else { 1 };
        let moved = differs(a + location.start..a + location.end, b + location.start..b + location.end);
        if moved && !placed && !actors.contains(&pid) {
            return Err(format!("process {pid} moved"));
        }
        let priority_changed =
            frame.priority.is_some_and(|at| differs(a + at..a + at + 1, b + at..b + at + 1));
        if priority_changed && !may.priorities {
            return Err(format!("the priority of process {pid} changed"));
        }
    }
    Ok(())
}

/// Walks so many states of a program.
fn walk(system: &Interpreter, most: usize, mut visit: impl FnMut(&mut dyn Stepper, &[u8], Transition)) {
    let mut stepper = system.stepper();
    let (mut state, mut enabled, mut next) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    let mut seen = HashSet::from([state.clone()]);
    let mut queue = VecDeque::from([state]);
    for _ in 0..most {
        let Some(state) = queue.pop_front() else { break };
        stepper.enabled(&state, &mut enabled);
        for &t in &enabled {
            visit(&mut *stepper, &state, t);
            if stepper.fire(&state, t, &mut next).is_ok() && seen.insert(next.clone()) {
                queue.push_back(next.clone());
            }
        }
    }
}

#[test]
fn what_a_command_changes_is_described() {
    let mut looked_at = 0;
    for seed in 0..600 {
        let Ok(system) = Interpreter::new(any_program(seed)) else { continue };
        walk(&system, 60, |_, state, t| {
            for micro in system.explain(state, t) {
                looked_at += 1;
                if let Err(what) = check_changes(&system, &micro) {
                    let kind = &system.program().processes[micro.process.index()];
                    panic!("seed {seed}: {what} by {:?}", kind.commands[micro.command.index()]);
                }
            }
        });
    }
    assert!(looked_at > 50_000, "{looked_at} steps are too few");
}

/// Whether evaluating an expression is described as looking at a global, or at what processes can do, which may depend on
/// it.
fn looks_at(expr: &Expr, global: u32) -> bool {
    observes(expr, |observation| match observation {
        Observation::Variable(lvalue) => lvalue.variable == VariableRef::Global(global),
        Observation::Process(_) | Observation::Timeout => true,
        _ => false,
    })
}

/// Whether what a process does at a location is described as depending neither on a global nor on other processes, nor as
/// writing to it.
fn ignores(kind: &ProcessType, at: Loc, global: u32) -> bool {
    let ignored = |operation: &Operation<'_>| match operation {
        Operation::Evaluate(expr, _) => !looks_at(expr, global),
        Operation::Store(to, _) => to.variable != VariableRef::Global(global),
        Operation::Create { .. } => false,
        _ => true,
    };
    let plain = |command: &Command| {
        !command.atomic && !communicates(command) && !matches!(command.guard, Guard::Body { .. })
    };
    !kind.provided.as_ref().is_some_and(|expr| looks_at(expr, global))
        && kind.leaving(at).all(|(_, command)| plain(command) && operations(command).iter().all(ignored))
}

/// A global that a command is not described as looking at makes no difference to it.
#[test]
fn what_a_command_depends_on_is_described() {
    let mut changed = 0;
    for seed in 0..600 {
        let program = random_program(seed);
        if program.has_priorities {
            continue;
        }
        let Ok(system) = Interpreter::new(program) else { continue };
        let (program, layout) = (system.program(), system.layout());
        let (mut tables, mut enabled) = (Tables::default(), Vec::new());
        let (mut here, mut there) = (Vec::new(), Vec::new());
        walk(&system, 60, |stepper, state, t| {
            let micros = system.explain(state, t);
            let [micro] = &micros[..] else { return };
            let kind = &program.processes[micro.process.index()];
            tables.read(layout, state);
            let base = tables.processes[micro.pid] as usize;
            let at = Loc(u32::from(state[base + LOCATION]));
            for (global, slot) in (0..).zip(&layout.slots) {
                let variable = &program.globals[global as usize];
                let is_plain = slot.dims.is_empty() && !variable.hidden && kind.locations.len() <= 256;
                if !is_plain || !ignores(kind, at, global) {
                    continue;
                }
                let Some(value) = variable.ty.store(slot.width.read(state, slot.offset) ^ 1) else {
                    continue;
                };
                let mut other = state.to_vec();
                slot.width.write(&mut other, slot.offset, value);
                stepper.enabled(&other, &mut enabled);
                assert!(enabled.contains(&t), "seed {seed}: global {global} decides {micro:?}");
                let faults =
                    [stepper.fire(state, t, &mut here).err(), stepper.fire(&other, t, &mut there).err()];
                slot.width.write(&mut here, slot.offset, value);
                assert_eq!(faults[0], faults[1], "seed {seed}: global {global} decides {micro:?}");
                assert_eq!(here, there, "seed {seed}: global {global} decides what {micro:?} does");
                changed += 1;
            }
        });
    }
    assert!(changed > 2_000, "{changed} changes are too few");
}
