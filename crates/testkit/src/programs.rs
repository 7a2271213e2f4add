//! Random small programs of guarded commands, with everything the language has, and their comparison with the naive
//! interpreter.
//!
//! A program must be small enough to be walked and rich enough to go wrong. So values are small, most expressions are
//! well-typed (channel variables hold channels, constant indices are in range), and most commands lead forward; but now
//! and then anything goes, so that every kind of fault is met too.

use crate::naive::{Naive, NaiveState};
use elnath_kernel::rng::Rng;
use elnath_kernel::{Describe, Stepper, System, Transition};
use elnath_program::Interpreter;
use elnath_program::ir::{
    Binary, Call, Capacity, ChannelId, ChannelQuery, ChannelType, Command, CommandId, Effect, Expr, Gate,
    GateId, Guard, Init, Loc, Location, Lvalue, Pattern, Place, ProcessId, ProcessType, Program, SymbolSet,
    SymbolsId, Sync, Type, Unary, Variable, VariableRef, Vector,
};
use std::collections::{HashMap, VecDeque};

/// A random program; the same for the same seed.
pub fn random_program(seed: u64) -> Program {
    random(seed, Gates::None)
}

/// A random program whose processes also meet at gates, and put each other elsewhere.
pub fn random_program_with_gates(seed: u64) -> Program {
    random(seed, Gates::Also)
}

/// A random program with more kinds of processes that hardly do anything but meet at gates and put each other elsewhere.
pub fn random_lean_program_with_gates(seed: u64) -> Program {
    random(seed, Gates::Mostly)
}

/// How processes communicate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gates {
    None,
    Also,
    Mostly,
}

fn random(seed: u64, gates: Gates) -> Program {
    let mut rng = Rng::new(seed);
    let channels = (0..1 + rng.below(3)).map(|_| channel_type(&mut rng)).collect();
    let program = Program {
        name: format!("random {seed}"),
        files: vec!["random.pml".to_owned()],
        calls: vec![Call { name: "twice".to_owned(), place: Place { file: 0, line: 1, call: None } }],
        symbols: vec![SymbolSet {
            name: "colour".to_owned(),
            members: vec![("red".to_owned(), 1), ("green".to_owned(), 2), ("very blue".to_owned(), 3)],
        }],
        globals: Vec::new(),
        channels,
        gates: Vec::new(),
        vectors: Vec::new(),
        processes: Vec::new(),
        initial: Vec::new(),
        propositions: Vec::new(),
        tracks_last: rng.below(6) == 0,
        has_priorities: rng.below(5) == 0,
    };
    let mut generator = Generator { rng, program, process: None, lean: gates == Gates::Mostly };
    if gates != Gates::None {
        generator.gates();
    }
    generator.fill();
    generator.program
}

fn channel_type(rng: &mut Rng) -> ChannelType {
    let capacity = match rng.below(5) {
        0 | 1 => Capacity::Rendezvous,
        2 => Capacity::Unbounded,
        n => Capacity::Bounded(n as u32 - 2),
    };
    let fields =
        (0..1 + rng.below(2)).map(|_| if rng.below(6) == 0 { Type::Channel } else { scalar_type(rng) });
    let fields: Vec<Type> = fields.collect();
    let most = match capacity {
        Capacity::Rendezvous => 0,
        Capacity::Bounded(most) => u64::from(most),
        Capacity::Unbounded => 2,
    };
    let held = if rng.below(4) == 0 { rng.below(most + 1) } else { 0 };
    let contents = (0..held).map(|_| fields.iter().map(|&ty| held_value(rng, ty)).collect()).collect();
    ChannelType { capacity, fields, contents }
}

/// A value that a variable of this type can hold. What a new channel holds is no channel.
fn held_value(rng: &mut Rng, ty: Type) -> i32 {
    let value = rng.below(2) as i32;
    match ty {
        Type::Channel => 0,
        Type::Range(low, _) if ty.store(value).is_none() => low,
        _ => value,
    }
}

fn scalar_type(rng: &mut Rng) -> Type {
    match rng.below(12) {
        0..=1 => Type::Unsigned(1),
        2 => Type::Bool,
        3..=5 => Type::Unsigned(2),
        6 => Type::Unsigned(8),
        7 => Type::Unsigned([3, 12, 20, 32][rng.below(4) as usize]),
        8 => Type::Signed([16, 32][rng.below(2) as usize]),
        9 => Type::Symbol(SymbolsId(0)),
        10 => Type::Range(0, 3),
        _ => Type::Range([-2, -300, 1][rng.below(3) as usize], [2, 300, 70_000][rng.below(3) as usize]),
    }
}

struct Generator {
    rng: Rng,
    program: Program,
    /// The process whose locals can be used.
    process: Option<usize>,
    /// Whether processes have little to do with each other except at gates.
    lean: bool,
}

impl Generator {
    fn one_in(&mut self, n: u64) -> bool {
        self.rng.below(n) == 0
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n as u64) as usize
    }

    fn fill(&mut self) {
        for index in 0..1 + self.below(2) {
            let dims = if self.one_in(4) { vec![2] } else { Vec::new() };
            let kind = self.below(self.program.channels.len());
            let init = Init::Channel(ChannelId(kind as u32));
            let hidden = self.one_in(10);
            let name = format!("q{index}");
            self.program.globals.push(Variable { name, ty: Type::Channel, dims, init, hidden });
        }
        for index in 0..1 + self.below(3) {
            let mut variable = self.variable(format!("g{index}"));
            variable.hidden = self.one_in(8);
            self.program.globals.push(variable);
        }
        // First the frames, so that processes can refer to each other.
        let kinds = match (self.has_gates(), self.lean) {
            (true, true) => 3 + self.below(3),
            (true, false) => 2 + self.below(3),
            (false, _) => 1 + self.below(3),
        };
        for index in 0..kinds {
            let process = self.frame(index);
            self.program.processes.push(process);
        }
        for index in 0..self.program.processes.len() {
            self.process = Some(index);
            self.locals(index);
            self.commands(index);
            if self.one_in(if self.lean { 40 } else { 8 }) {
                self.program.processes[index].provided = Some(self.expr(2));
            }
        }
        self.process = None;
        if self.has_gates() {
            self.vectors();
            self.program.initial.extend((0..kinds as u32).map(ProcessId));
        }
        for _ in 0..1 + self.below(if self.has_gates() { 2 } else { 3 }) {
            let process = self.below(self.program.processes.len());
            self.program.initial.push(ProcessId(process as u32));
        }
        for index in 0..self.below(3) {
            let expr = self.expr(2);
            self.program.propositions.push((format!("p {index}"), expr));
        }
    }

    fn has_gates(&self) -> bool {
        !self.program.gates.is_empty()
    }

    /// Gates, some of which have the same offers.
    fn gates(&mut self) {
        for index in 0..1 + self.below(3) {
            let last = self.program.gates.last().map(|last| last.offers.clone());
            let offers = match last {
                Some(last) if !self.one_in(3) => last,
                _ => (0..self.below(3)).map(|_| self.offered_type()).collect(),
            };
            self.program.gates.push(Gate { name: format!("gate {index}"), offers });
        }
    }

    fn offered_type(&mut self) -> Type {
        match self.below(6) {
            0 => Type::Bool,
            1 => Type::Unsigned(1),
            2 => Type::Unsigned(2),
            3 => Type::Symbol(SymbolsId(0)),
            4 => Type::Range(0, 3),
            _ => Type::Range(-2, 2),
        }
    }

    fn vectors(&mut self) {
        for index in 0..1 + self.below(4) {
            let gate = self.below(self.program.gates.len());
            let wanted = &self.program.gates[gate].offers;
            let alike = |&other: &usize| self.program.gates[other].offers == *wanted;
            let alike: Vec<usize> = (0..self.program.gates.len()).filter(alike).collect();
            let kinds = self.program.processes.len();
            let first = self.below(kinds);
            let members = (0..1 + self.below(kinds.min(3))).map(|next| {
                (ProcessId(((first + next) % kinds) as u32), GateId(self.rng.pick(&alike) as u32))
            });
            let members = members.collect();
            let label = (!self.one_in(3)).then(|| format!("L {index}"));
            self.program.vectors.push(Vector { members, label });
        }
    }

    fn variable(&mut self, name: String) -> Variable {
        let ty = if self.one_in(8) { Type::Channel } else { scalar_type(&mut self.rng) };
        let dims = match self.below(8) {
            0 => vec![2],
            1 => vec![2, 2],
            _ => Vec::new(),
        };
        let init = match self.below(6) {
            0 | 1 => Init::Value(Expr::Const(self.below(3) as i32)),
            2 => Init::List((0..self.below(dims.len() + 1)).map(|i| Expr::Const(i as i32 + 1)).collect()),
            3 if ty == Type::Channel => {
                Init::Channel(ChannelId(self.below(self.program.channels.len()) as u32))
            }
            _ => Init::Zero,
        };
        Variable { name, ty, dims, init, hidden: false }
    }

    fn frame(&mut self, index: usize) -> ProcessType {
        let parameters = self.below(3) as u32;
        let locals = (0..parameters).map(|i| {
            let ty = if self.rng.below(3) == 0 { Type::Channel } else { scalar_type(&mut self.rng) };
            Variable { name: format!("a{i}"), ty, dims: Vec::new(), init: Init::Zero, hidden: false }
        });
        let locals = locals.collect();
        let locations = 2 + self.below(4);
        ProcessType {
            name: format!("p{index}"),
            parameters,
            locals,
            locations: vec![Location::default(); locations],
            commands: Vec::new(),
            entry: Loc(0),
            provided: None,
            priority: 1 + self.below(3) as u8,
        }
    }

    fn locals(&mut self, process: usize) {
        for index in 0..if self.lean { 1 + self.below(2) } else { self.below(3) } {
            // Some have the name of a global, which they hide.
            let name = if self.one_in(6) { format!("g{index}") } else { format!("x.l{index}[]") };
            let mut local = self.variable(name);
            if self.one_in(6) && local.dims.is_empty() {
                local.init = Init::Value(self.expr(1));
            }
            self.program.processes[process].locals.push(local);
        }
    }

    fn commands(&mut self, process: usize) {
        let outer = self.program.processes[process].locations.len();
        // A body is a chain of inner locations behind the outer ones.
        let body = if self.one_in(3) { 1 + self.below(2) } else { 0 };
        let locations = &mut self.program.processes[process].locations;
        locations.resize(outer + body, Location::default());
        let body_exit = Loc(self.below(outer) as u32);
        for at in 0..outer + body {
            let inner = at >= outer;
            let last = at == outer - 1;
            let mut location = Location {
                groups: Vec::new(),
                labels: if self.one_in(3) { vec![format!("L{at}")] } else { Vec::new() },
                end: last || self.one_in(5),
                accept: self.one_in(5),
                progress: self.one_in(5),
            };
            let meets = self.has_gates() && !inner && !self.one_in(3);
            let groups = if !meets && self.one_in(4) { 2 } else { 1 };
            for _ in 0..groups {
                let mut group = Vec::new();
                let mut has_else = meets;
                for _ in 0..1 + self.below(if inner { 2 } else { 3 }) {
                    let command = if inner {
                        let target = if at + 1 == outer + body { body_exit } else { Loc(at as u32 + 1) };
                        Command { atomic: false, target, ..self.command(&mut has_else, outer, outer, None) }
                    } else if last && group.is_empty() && !self.one_in(4) {
                        exit(Loc(at as u32))
                    } else if meets && !self.one_in(3) {
                        self.meeting(at, outer)
                    } else {
                        let entry = if body > 0 { Some((Loc(outer as u32), body_exit)) } else { None };
                        self.command(&mut has_else, at, outer, entry)
                    };
                    group.push(self.add(process, command));
                }
                location.groups.push(group);
            }
            // A command may leave several locations.
            if !inner && at > 0 && !self.has_gates() && self.one_in(8) {
                let shared = self.program.processes[process].locations[at - 1].groups.first().cloned();
                location.groups.insert(0, shared.unwrap_or_default());
            }
            self.program.processes[process].locations[at] = location;
        }
        let entry = if self.one_in(6) { self.below(outer) } else { 0 };
        self.program.processes[process].entry = Loc(entry as u32);
    }

    fn add(&mut self, process: usize, command: Command) -> CommandId {
        let commands = &mut self.program.processes[process].commands;
        commands.push(command);
        CommandId(commands.len() as u32 - 1)
    }

    fn command(&mut self, has_else: &mut bool, at: usize, outer: usize, body: Option<(Loc, Loc)>) -> Command {
        let forward = at + 1 < outer && !self.one_in(4);
        let target = if forward { at + 1 + self.below(outer - at - 1) } else { self.below(outer) };
        // Going back alone would make endless atomic sequences the rule.
        let atomic = (forward || self.one_in(6)) && self.one_in(3);
        let guard = match self.below(10) {
            0 if !*has_else => {
                *has_else = true;
                Guard::Else
            }
            1 | 2 if body.is_some() => {
                let (entry, exit) = body.expect("there is one");
                Guard::Body { entry, exit }
            }
            3..=6 => Guard::When(self.expr(2)),
            7 if self.one_in(2) => Guard::When(Expr::Timeout),
            _ => Guard::Always,
        };
        let plain = matches!(guard, Guard::Always | Guard::When(_));
        let communicates = plain && !self.one_in(3) && (!self.lean || self.one_in(30));
        let sync = if communicates { self.sync() } else { Sync::None };
        let effects = (0..self.below(3)).map(|_| self.effect()).collect();
        let place = self.one_in(2).then(|| {
            let line = self.below(99) as u32 + 1;
            Place { file: 0, line, call: line.is_multiple_of(4).then_some(0) }
        });
        Command {
            guard,
            sync,
            effects,
            target: Loc(target as u32),
            atomic,
            text: format!("\"{at}\"\t\\'"),
            place,
        }
    }

    /// A command at a gate.
    fn meeting(&mut self, at: usize, outer: usize) -> Command {
        let gate = self.below(self.program.gates.len());
        let count = self.program.gates[gate].offers.len();
        let offers = (0..count).map(|_| self.pattern(true)).collect();
        let when = self.one_in(3).then(|| self.expr(2));
        let sync = Sync::Gate { gate: GateId(gate as u32), offers, when };
        let guard = if self.one_in(3) { Guard::When(self.expr(1)) } else { Guard::Always };
        let mut command = self.command(&mut true, at, outer, None);
        command.effects.truncate(1);
        Command { guard, sync, atomic: false, ..command }
    }

    fn sync(&mut self) -> Sync {
        let channel = self.channel_expr();
        if self.one_in(2) {
            let fields = (0..1 + self.below(2)).map(|_| self.field()).collect();
            Sync::Send { channel, fields, sorted: self.one_in(4) }
        } else {
            let patterns = (0..1 + self.below(2)).map(|_| self.pattern(true)).collect();
            Sync::Receive { channel, patterns, random: self.one_in(4), copy: self.one_in(5) }
        }
    }

    fn field(&mut self) -> Expr {
        if self.one_in(5) { self.channel_expr() } else { self.expr(1) }
    }

    fn pattern(&mut self, bind: bool) -> Pattern {
        match self.below(4) {
            0 => Pattern::Any,
            1 => Pattern::Match(self.expr(0)),
            _ if bind => Pattern::Bind(self.lvalue(1, |_| true)),
            _ => Pattern::Match(Expr::Const(self.below(2) as i32)),
        }
    }

    fn effect(&mut self) -> Effect {
        if self.has_gates() && self.one_in(5) {
            let process = self.below(self.program.processes.len());
            let parameters = self.program.processes[process].parameters as usize;
            let arguments = (0..self.below(parameters + 1)).map(|_| self.field()).collect();
            // The first two locations are never within a body.
            let at = Loc(self.below(2) as u32);
            return Effect::Place { process: ProcessId(process as u32), at, arguments };
        }
        match self.below(12) {
            // Where processes meet none is created: those of a kind that meet with one another multiply.
            0 if !self.has_gates() => {
                let process = self.below(self.program.processes.len());
                let parameters = self.program.processes[process].parameters as usize;
                let arguments = (0..self.below(parameters + 1)).map(|_| self.field()).collect();
                let priority = if self.one_in(4) { Some(self.expr(0)) } else { None };
                let result = if self.one_in(2) { Some(self.lvalue(0, |_| true)) } else { None };
                Effect::Run { process: ProcessId(process as u32), arguments, priority, result }
            }
            1 => Effect::Assert(self.expr(2)),
            2 => Effect::Print {
                format: "%d is \"%e\"\\n".to_owned(),
                arguments: vec![(self.expr(1), None), (self.expr(0), Some(SymbolsId(0)))],
            },
            3 => Effect::SetPriority { process: self.expr(0), priority: self.expr(1) },
            _ => {
                let lvalue = self.lvalue(1, |_| true);
                let channel = self.type_of(&lvalue) == Type::Channel && !self.one_in(8);
                let value = if channel { self.channel_expr() } else { self.expr(2) };
                Effect::Assign(lvalue, value)
            }
        }
    }

    fn variables(&self) -> Vec<(VariableRef, &Variable)> {
        let globals = self.program.globals.iter().enumerate();
        let globals = globals.map(|(index, variable)| (VariableRef::Global(index as u32), variable));
        let locals = self
            .process
            .iter()
            .flat_map(|&process| self.program.processes[process].locals.iter().enumerate());
        globals.chain(locals.map(|(index, variable)| (VariableRef::Local(index as u32), variable))).collect()
    }

    fn type_of(&self, lvalue: &Lvalue) -> Type {
        let all = self.variables();
        all.iter().find(|(variable, _)| *variable == lvalue.variable).expect("it exists").1.ty
    }

    fn lvalue(&mut self, depth: u32, wanted: impl Fn(&Variable) -> bool) -> Lvalue {
        let all = self.variables();
        let candidates: Vec<(VariableRef, Vec<u32>)> = all
            .iter()
            .filter(|(_, variable)| wanted(variable))
            .map(|(reference, variable)| (*reference, variable.dims.clone()))
            .collect();
        let is_local = |(reference, _): &(VariableRef, Vec<u32>)| matches!(reference, VariableRef::Local(_));
        let candidates = match candidates.iter().filter(|one| is_local(one)).cloned().collect::<Vec<_>>() {
            locals if self.lean && !locals.is_empty() && !self.one_in(30) => locals,
            _ => candidates,
        };
        let (variable, dims) = candidates[self.rng.below(candidates.len() as u64) as usize].clone();
        Lvalue { variable, indices: self.indices(depth, &dims) }
    }

    fn indices(&mut self, depth: u32, dims: &[u32]) -> Vec<Expr> {
        let mut indices = Vec::new();
        for &length in dims {
            let any = depth > 0 && self.one_in(5);
            indices.push(if any {
                self.expr(depth - 1)
            } else {
                Expr::Const(self.below(length as usize) as i32)
            });
        }
        indices
    }

    fn channel_expr(&mut self) -> Expr {
        if self.one_in(20) {
            return Expr::Const(self.below(3) as i32);
        }
        // The globals at the start hold channels; others may or may not.
        let sure = !self.one_in(4);
        Expr::Load(self.lvalue(1, |variable| {
            variable.ty == Type::Channel && (!sure || matches!(variable.init, Init::Channel(_)))
        }))
    }

    fn expr(&mut self, depth: u32) -> Expr {
        let has_scalars = self.variables().iter().any(|(_, variable)| variable.dims.is_empty());
        if self.lean && has_scalars && !self.one_in(40) {
            return match self.below(4) {
                0 => Expr::Const(self.below(3) as i32),
                1 if depth > 0 => {
                    let operators = [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Add];
                    let operator = self.rng.pick(&operators);
                    Expr::Binary(operator, Box::new([self.expr(depth - 1), self.expr(depth - 1)]))
                }
                _ => Expr::Load(self.lvalue(0, |variable| variable.dims.is_empty())),
            };
        }
        if depth == 0 || self.one_in(4) {
            return match self.below(12) {
                0..=3 => Expr::Const(self.below(4) as i32),
                4 => Expr::Const([-1, 255, 256, -40_000, i32::MIN, i32::MAX][self.below(6)]),
                5 if self.process.is_some() => Expr::Pid,
                6 => {
                    [Expr::ProcessCount, Expr::Last, Expr::Timeout, Expr::NonProgress][self.below(4)].clone()
                }
                _ => Expr::Load(self.lvalue(depth, |_| true)),
            };
        }
        let depth = depth - 1;
        match self.below(20) {
            0..=8 => {
                let operator = [
                    Binary::Eq,
                    Binary::Eq,
                    Binary::Ne,
                    Binary::Lt,
                    Binary::Le,
                    Binary::Gt,
                    Binary::Ge,
                    Binary::Add,
                    Binary::Sub,
                    Binary::And,
                    Binary::Or,
                ][self.below(11)];
                Expr::Binary(operator, Box::new([self.expr(depth), self.expr(depth)]))
            }
            9 => {
                let operators = [
                    Binary::Mul,
                    Binary::Div,
                    Binary::Rem,
                    Binary::BitAnd,
                    Binary::BitOr,
                    Binary::BitXor,
                    Binary::Shl,
                    Binary::Shr,
                ];
                Expr::Binary(operators[self.below(8)], Box::new([self.expr(depth), self.expr(depth)]))
            }
            10 | 11 => {
                let operator = [Unary::Not, Unary::Neg, Unary::Complement][self.below(3)];
                Expr::Unary(operator, Box::new(self.expr(depth)))
            }
            12 => Expr::Cond(Box::new([self.expr(depth), self.expr(depth), self.expr(depth)])),
            13 | 14 => {
                let query = [
                    ChannelQuery::Len,
                    ChannelQuery::Empty,
                    ChannelQuery::NotEmpty,
                    ChannelQuery::Full,
                    ChannelQuery::NotFull,
                ][self.below(5)];
                Expr::Channel(query, Box::new(self.channel_expr()))
            }
            15 => Expr::Poll {
                channel: Box::new(self.channel_expr()),
                patterns: (0..1 + self.below(2)).map(|_| self.pattern(false)).collect(),
                random: self.one_in(2),
                ahead: if self.one_in(3) { self.below(3) as u32 } else { 0 },
            },
            16 => self.remote(depth),
            17 => match self.below(3) {
                0 => Expr::Location(Box::new(self.expr(0))),
                1 => Expr::Enabled(Box::new(self.expr(0))),
                _ => Expr::Priority(Box::new(self.expr(0))),
            },
            _ => Expr::Load(self.lvalue(depth, |_| true)),
        }
    }

    fn remote(&mut self, depth: u32) -> Expr {
        if self.program.processes.is_empty() {
            return Expr::ProcessCount;
        }
        let index = self.below(self.program.processes.len());
        let process = ProcessId(index as u32);
        let pid = if self.one_in(2) { Some(Box::new(self.expr(0))) } else { None };
        let locals = self.program.processes[index].locals.len();
        if locals > 0 && self.one_in(2) {
            let variable = self.below(locals);
            let dims = self.program.processes[index].locals[variable].dims.clone();
            return Expr::Remote {
                process,
                pid,
                variable: variable as u32,
                indices: self.indices(depth, &dims),
            };
        }
        let count = self.program.processes[index].locations.len();
        let locations = (0..self.below(3)).map(|_| Loc(self.below(count) as u32)).collect();
        Expr::At { process, pid, locations }
    }
}

fn exit(target: Loc) -> Command {
    Command {
        guard: Guard::Exit,
        sync: Sync::None,
        effects: Vec::new(),
        target,
        atomic: false,
        text: "-end-".to_owned(),
        place: None,
    }
}

/// What a comparison has seen, so that a test can tell whether it saw anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// States that were expanded by both.
    pub states: usize,
    /// Transitions of those.
    pub transitions: usize,
    /// Transitions with a fault.
    pub faults: usize,
    /// Transitions in which several processes meet at a gate.
    pub joint: usize,
    /// States without transitions in which no run may end.
    pub deadlocks: usize,
    /// Whether the walk was given up early at an endless atomic sequence.
    pub endless: bool,
}

/// Walks a program breadth first with both interpreters side by side, up to `most` states, and insists that they agree
/// state by state and transition by transition, in order, and that equal states have equal bytes and no others do.
///
/// # Panics
/// At the first difference; the message has the name of the program, which tells the seed of a random one.
pub fn compare_with_naive(program: &Program, most: usize) -> Compared {
    let name = &program.name;
    let naive = Naive(program);
    let mut compared = Compared::default();
    let system = match (Interpreter::new(program.clone()), naive.initial()) {
        (Ok(system), Ok(_)) => system,
        (Err(fault), Err(cause)) => {
            assert_eq!(fault.cause, cause, "{name}: faults in the initial state");
            return compared;
        }
        (system, _) => panic!("{name}: only one has an initial state; the interpreter: {}", system.is_ok()),
    };
    let mut walker = Pair {
        system: &system,
        stepper: system.stepper(),
        bytes_of: HashMap::new(),
        state_of: HashMap::new(),
    };
    let mut bytes = Vec::new();
    walker.stepper.initial(&mut bytes);
    let initial = naive.initial().expect("it has one");
    walker.same(name, &initial, &bytes);
    let mut queue = VecDeque::from([(initial, bytes)]);
    while let Some((state, bytes)) = queue.pop_front() {
        let Ok(steps) = naive.steps(&state) else {
            compared.endless = true;
            return compared;
        };
        compared.states += 1;
        compared.transitions += steps.len();
        let shown = || format!("{name}, in {}", system.show_state(&bytes));
        let mut enabled = Vec::new();
        walker.stepper.enabled(&bytes, &mut enabled);
        let who =
            |&Transition(t): &Transition| ((t >> 40 & 0xff) as usize, CommandId((t >> 20 & 0xf_ffff) as u32));
        let theirs: Vec<_> = steps.iter().map(|step| (step.pid, step.command)).collect();
        assert_eq!(enabled.iter().map(who).collect::<Vec<_>>(), theirs, "{}: other transitions", shown());
        assert_eq!(walker.stepper.may_end(&bytes), naive.may_end(&state), "{}: may_end", shown());
        assert_eq!(walker.stepper.valuation(&bytes), naive.valuation(&state), "{}: valuation", shown());
        if steps.is_empty() && !naive.may_end(&state) {
            compared.deadlocks += 1;
        }
        for (&t, step) in enabled.iter().zip(steps) {
            let (to, fault) = walker.fire(name, &bytes, t);
            let cause = fault.map(|fault| system.fault_at(fault).cause);
            assert_eq!(cause, step.fault, "{}: faults of {}", shown(), system.show_transition(&bytes, t));
            if fault.is_some() {
                compared.faults += 1;
            }
            let meeting = system.meeting(&bytes, t);
            compared.joint += usize::from(meeting.is_some_and(|meeting| meeting.members.len() > 1));
            if walker.same(name, &step.to, &to) && walker.bytes_of.len() <= most {
                queue.push_back((step.to, to));
            }
        }
    }
    compared
}

/// The real interpreter, and which of its states is which of the naive one's.
struct Pair<'a> {
    system: &'a Interpreter,
    stepper: Box<dyn Stepper + 'a>,
    bytes_of: HashMap<NaiveState, Vec<u8>>,
    state_of: HashMap<Vec<u8>, NaiveState>,
}

impl Pair<'_> {
    /// Notes that two states are the same; whether they are new.
    fn same(&mut self, name: &str, state: &NaiveState, bytes: &[u8]) -> bool {
        let new = match self.bytes_of.get(state) {
            Some(known) => {
                if known != bytes {
                    let (known, shown) = (self.system.show_state(known), self.system.show_state(bytes));
                    panic!("{name}: these should be one state:\n{known}\n{shown}\n{state:?}");
                }
                false
            }
            None => true,
        };
        if let Some(known) = self.state_of.get(bytes) {
            assert_eq!(known, state, "{name}: two states have one encoding");
        }
        if new {
            self.bytes_of.insert(state.clone(), bytes.to_vec());
            self.state_of.insert(bytes.to_vec(), state.clone());
        }
        new
    }

    /// Fires a transition, and now and then once more with a stepper that knows nothing; what explains it ends in the
    /// same state.
    fn fire(&mut self, name: &str, from: &[u8], t: Transition) -> (Vec<u8>, Option<elnath_kernel::Fault>) {
        let mut to = Vec::new();
        let fault = self.stepper.fire(from, t, &mut to).err();
        if self.bytes_of.len().is_multiple_of(16) {
            let mut again = Vec::new();
            let fault_again = self.system.stepper().fire(from, t, &mut again).err();
            assert_eq!((&again, fault_again), (&to, fault), "{name}: a fresh stepper disagrees");
            // A statement that fails is the last one that is explained, though the rest of its sequence is executed.
            let explained = self.system.explain(from, t);
            let end = explained.last().map(|micro| &micro.after);
            assert!(fault.is_some() || end == Some(&to), "{name}: explain ends elsewhere");
            assert!(!explained.is_empty(), "{name}: nothing is explained");
        }
        (to, fault)
    }
}
