//! Walks over all states of random programs by naive loops, for the campaigns about what makes programs smaller.

use crate::trial::Case;
use elnath_kernel::{Fault, Stepper, Successors};
use elnath_program::Interpreter;
use elnath_program::analysis::meets;
use elnath_program::ir::{
    Binary, ChannelQuery, Effect, Expr, Guard, Loc, Lvalue, ProcessId, Program, Type, VariableRef,
};
use elnath_program::layout::{LOCATION, Tables};
use elnath_program::text::print;
use elnath_testkit::{random_lean_program_with_gates, random_program, random_program_with_gates};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// What a walk found.
#[derive(Default)]
pub(crate) struct Walked {
    pub(crate) states: HashSet<Vec<u8>>,
    pub(crate) deadlocks: BTreeSet<Vec<u8>>,
    pub(crate) faults: BTreeSet<u32>,
    pub(crate) unfired: Vec<u32>,
    /// How the truth of propositions changes at a transition.
    pub(crate) changes: BTreeSet<(u64, u64)>,
    /// Whether it was given up because there are too many states.
    pub(crate) cut: bool,
}

pub(crate) fn walk(
    stepper: &mut dyn Stepper,
    most: usize,
    mut at_each: impl FnMut(&[u8], &Successors),
) -> Walked {
    let mut walked = Walked::default();
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    walked.states.insert(initial.clone());
    let (mut queue, mut successors) = (vec![initial], Successors::default());
    while let Some(state) = queue.pop() {
        stepper.successors(&state, &mut successors);
        at_each(&state, &successors);
        if successors.is_empty() {
            walked.deadlocks.insert(state.clone());
        }
        let before = stepper.valuation(&state);
        for successor in successors.iter() {
            let after = stepper.valuation(successor.state);
            if after != before {
                walked.changes.insert((before, after));
            }
            walked.faults.extend(successor.fault.map(|Fault(number)| number));
            if !walked.states.contains(successor.state) {
                walked.states.insert(successor.state.to_vec());
                queue.push(successor.state.to_vec());
            }
        }
        if walked.states.len() > most || successors.len() > 200 || stepper.work() > MOST_WORK {
            walked.cut = true;
            return walked;
        }
    }
    walked.unfired = stepper.unfired().into_iter().map(|action| action.0).collect();
    walked
}

/// What is left of states when processes have no names: those that have come to their end are gone, the others are in no
/// order, and the numbers of channels are forgotten.
pub(crate) fn without_names(system: &Interpreter, states: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<Vec<u8>>> {
    let (program, layout) = (system.program(), system.layout());
    let of_one = |state: &Vec<u8>| {
        let mut tables = Tables::default();
        tables.read(layout, state);
        let first = tables.processes.first().map_or(state.len(), |&at| at as usize);
        // What comes before the processes, without how many there are.
        let mut parts = Vec::new();
        for (index, &from) in tables.processes.iter().enumerate() {
            let (from, to) =
                (from as usize, tables.processes.get(index + 1).map_or(state.len(), |&to| to as usize));
            let kind = usize::from(state[from]);
            let (process, frame) = (&program.processes[kind], &layout.frames[kind]);
            let high = if frame.wide_location { u32::from(state[from + LOCATION + 1]) << 8 } else { 0 };
            let at = Loc(high | u32::from(state[from + LOCATION]));
            if process.leaving(at).any(|(_, command)| command.guard == Guard::Exit) {
                continue;
            }
            let mut bytes = state[from..to].to_vec();
            for (variable, &offset) in process.locals.iter().zip(&frame.locals) {
                if variable.ty == Type::Channel {
                    bytes[offset..offset + variable.len() as usize].fill(0);
                }
            }
            parts.push(bytes);
        }
        parts.sort();
        parts.insert(0, state[..first - 1].to_vec());
        parts
    };
    states.iter().map(of_one).collect()
}

pub(crate) fn of_promela(text: &str) -> Result<Arc<Interpreter>, String> {
    with_propositions(text, Vec::new())
}

pub(crate) fn with_propositions(
    text: &str,
    propositions: Vec<(String, Expr)>,
) -> Result<Arc<Interpreter>, String> {
    let mut files = HashMap::from([("model.pml".to_owned(), text.to_owned())]);
    let wrong = |messages| format!("{messages:?} in\n{text}");
    let (model, _) =
        elnath_promela::parse(&mut files, "model.pml", &elnath_promela::Options::default()).map_err(wrong)?;
    let mut program = elnath_promela::lower(&model, "model.pml").map_err(wrong)?.program;
    program.propositions = propositions;
    Interpreter::new(program).map(Arc::new).map_err(|fault| fault.cause.text().to_owned())
}

/// A random model of what reductions trip over; every other one with a question that looks at what is shared.
pub(crate) fn corners(seed: u64, text: &str) -> Arc<Interpreter> {
    let load = |global: u32, index: Option<i32>| {
        let indices = index.map(Expr::Const).into_iter().collect();
        Expr::Load(Lvalue { variable: VariableRef::Global(global), indices })
    };
    let all = || {
        vec![
            ("g is 1".to_owned(), Expr::Binary(Binary::Eq, Box::new([load(0, None), Expr::Const(1)]))),
            ("h".to_owned(), load(1, None)),
            ("own[1]".to_owned(), load(2, Some(1))),
            ("c".to_owned(), Expr::Channel(ChannelQuery::NotEmpty, Box::new(load(3, None)))),
        ]
    };
    let propositions = if seed.is_multiple_of(2) { Vec::new() } else { all() };
    with_propositions(text, propositions).unwrap_or_else(|why| panic!("{seed}: {why}"))
}

/// A random model of rare constructs; every other one with a question about its first two globals and its first channel.
pub(crate) fn rare(seed: u64, text: &str) -> Arc<Interpreter> {
    let load = |name: &str, program: &Program| {
        let global = program.globals.iter().position(|global| global.name == name);
        let variable = VariableRef::Global(global.expect("every one of these models has it") as u32);
        Expr::Load(Lvalue { variable, indices: Vec::new() })
    };
    let plain = of_promela(text).unwrap_or_else(|why| panic!("{seed}: {why}"));
    if seed.is_multiple_of(2) {
        return plain;
    }
    let mut program = plain.program().clone();
    let (g, h, q) = (load("g", &program), load("h", &program), load("q", &program));
    program.propositions = vec![
        ("g is 1".to_owned(), Expr::Binary(Binary::Eq, Box::new([g, Expr::Const(1)]))),
        ("h".to_owned(), h),
        ("q".to_owned(), Expr::Channel(ChannelQuery::NotEmpty, Box::new(q))),
    ];
    Arc::new(Interpreter::new(program).unwrap_or_else(|fault| panic!("{seed}: {}", fault.cause.text())))
}

/// A random program without what makes reduction impossible: priorities, and questions about everybody.
pub(crate) fn reducible_program(case: &Case) -> Program {
    reducible(case, random_program(case.seed))
}

/// A random program whose processes meet at gates, without what makes reduction impossible; every third one without globals and channels,
/// through which processes would have more to do with each other.
pub(crate) fn meeting_program(case: &Case) -> Program {
    let seed = case.seed;
    let program =
        if seed.is_multiple_of(3) { random_lean_program_with_gates } else { random_program_with_gates };
    let mut program = program(seed);
    for kind in &mut program.processes {
        let at_gates: Vec<bool> = (0..kind.locations.len())
            .map(|at| kind.leaving(Loc(at as u32)).any(|(_, command)| meets(command)))
            .collect();
        // An atomic sequence that goes on at a gate makes reduction impossible, too.
        kind.commands.iter_mut().for_each(|command| command.atomic &= !at_gates[command.target.index()]);
    }
    reducible(case, program)
}

/// A random specification in LOTOS as a program; every other one with a question about where two of its units are. None if it cannot be translated, or is given
/// up at once.
pub(crate) fn specified_program(case: &Case) -> Option<Program> {
    let text = case.keep(super::lotos::random_text(case.seed));
    let source = elnath_source::SourceText::new("random.lotos", text);
    let (specification, _) = elnath_lotos::read(source, &|_| None, &[]).ok()?;
    let mut program = elnath_lotos::Programmed::new(Arc::new(specification)).ok()?.program().clone();
    if !case.seed.is_multiple_of(2) {
        let count = program.processes.len();
        for unit in [count - 1, count / 2] {
            let locations = program.processes[unit].locations.len() as u32;
            let locations = (0..locations).filter(|at| at % 3 == 1).map(Loc).collect();
            let process = ProcessId(unit as u32);
            program.propositions.push((format!("at {unit}"), Expr::At { process, pid: None, locations }));
        }
    }
    Some(program)
}

fn reducible(case: &Case, mut program: Program) -> Program {
    program.has_priorities = false;
    program.tracks_last = false;
    program.for_each_expr_mut(&mut |expr| {
        if matches!(expr, Expr::Enabled(_) | Expr::Location(_) | Expr::Last | Expr::Priority(_)) {
            *expr = Expr::Const(1);
        }
    });
    for command in program.processes.iter_mut().flat_map(|process| &mut process.commands) {
        command.effects.retain(|effect| !matches!(effect, Effect::SetPriority { .. }));
        for effect in &mut command.effects {
            if let Effect::Run { priority, .. } = effect {
                *priority = None;
            }
        }
    }
    case.keep(print(&program));
    program
}

/// Random programs have atomic sequences that go on for ever, and a thousand times over.
const MOST_WORK: u64 = 100_000;

/// Why a case is left out.
pub(crate) const TOO_LARGE: &str = "too large, or not to be reduced";
