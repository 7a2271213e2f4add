//! Units as processes, and how they meet as synchronisation vectors.
//!
//! A *unit* is a place in the tree of parallel operators, and becomes a process of the IR. Where it is in the text is its location: a stack of
//! `>>` whose left sides are active, and a piece of code with its gates ([`Control`]). What variables hold are its locals, each variable of the
//! text one of them, which is enough since no process is active twice in one unit.
//!
//! Where a unit becomes parallel it waits at a *site*, and the operands go on as units of their own, which it puts to their first locations
//! ([`Effect::Place`]) in the same step. The operands of a site are always the same units, so that their number is fixed. A unit that has ended or
//! is not active is at location 0.
//!
//! * `exit` of all operands of a site ends it: the unit that waits there takes part, with the gate that accepts results, and goes on behind `>>`.
//! * `A [> B`: `A` is a unit at a site, and `B` is done by the unit that waits there; with its first action it puts all units of `A` to location 0. If `B`
//!   is parallel at once it is a unit, too, and so are the alternatives of a choice of which one is: every action of one then ends the others.
//! * Gates that are hidden in a unit have numbers from its base on, above all that its surroundings use. So what leaves the unit on such a gate is
//!   internal, and a process that recurses through `hide` has finitely many locations.
//!
//! Conditions in front of an action are its guard; those in front of a parallel operator, for which units have to be put somewhere or not, are decided by
//! the step that leads there, as one command for each case.
//!
//! **Faults.** What is evaluated when a behaviour is unfolded (guards, values of calls and of `let`) is evaluated by the step that leads there, as
//! it is on terms; what is offered, where it is offered. Nothing is made of a fault here but that there is one.

use super::NotLowered;
use super::data::{Translation, Value, all, both};
use crate::Aliasing;
use crate::code::{CodeId, CodeKind, Compiled, OfferCode, ProcessId, SyncCode};
use crate::data::SortId;
use crate::moves::{EXIT, INTERNAL};
use crate::term::Gate;
use elnath_program::ir::{
    self, Binary, Command, CommandId, Effect, Expr, GateId, Guard, Init, Loc, Location, Lvalue, Pattern,
    ProcessType, Program, SymbolSet, SymbolsId, Sync, Type, Variable, VariableRef,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most units, locations of all of them, and vectors.
const MOST_UNITS: usize = 100;
const MOST_LOCATIONS: usize = 5_000;
const MOST_COMMANDS: usize = 40_000;
const MOST_VECTORS: usize = 10_000;
/// The most alternatives of a choice of values, and calls without an action in between.
const MOST_ALTERNATIVES: usize = 256;
const DEEPEST: usize = 40;

/// A gate of a unit, with the sorts of the offers, and whether it accepts an end there.
type Port = (Gate, Vec<SortId>, bool);
type Stack = Vec<(CodeId, Vec<Gate>)>;
pub(super) type UnitId = usize;
pub(super) type SiteId = usize;

/// Where a unit is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Control {
    /// The `>>` whose left sides are active, the outermost first, with the gates of their right sides.
    pub(super) stack: Vec<(CodeId, Vec<Gate>)>,
    pub(super) core: Core,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Core {
    Ended,
    Stop,
    Code(CodeId, Vec<Gate>),
    /// It waits until units have ended.
    Site(SiteId),
    /// The same, and it can interrupt them.
    Interrupt(SiteId, CodeId, Vec<Gate>),
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Unit(UnitId),
    /// No gates: all.
    Parallel(Option<Vec<Gate>>, Box<Shape>, Box<Shape>),
}

/// How the units of a site belong together.
#[derive(Clone, Debug)]
pub(super) enum Join {
    Parallel(Shape),
    /// The left side of `[>`, whose right side is done by the unit that waits.
    Interrupted(UnitId),
    /// Both sides of `[>`.
    Disable(UnitId, UnitId),
    Choice(Vec<UnitId>),
}

#[derive(Debug)]
pub(super) struct Site {
    unit: UnitId,
    pub(super) join: Join,
    /// Whether something follows behind `>>`.
    goes_on: bool,
}

#[derive(Debug)]
pub(super) struct Unit {
    /// Gates from this number on are hidden in it.
    pub(super) base: Gate,
    pub(super) controls: Vec<Control>,
    numbers: HashMap<Control, usize>,
    /// Variables, and places for what is received (by position and sort).
    locals: Vec<(Local, SortId)>,
    commands: Vec<Draft>,
    /// The gates that its commands use, with the offers.
    used: BTreeSet<Port>,
    sites: Vec<SiteId>,
    first: usize,
    initial: Vec<(Local, Expr)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Local {
    Variable(ProcessId, u32),
    Received(usize, SortId),
}

/// A command whose effects are not all known yet.
#[derive(Debug)]
struct Draft {
    from: usize,
    to: usize,
    guard: Option<Expr>,
    sync: Option<(Gate, Vec<SortId>, bool, Vec<Pattern>)>,
    when: Option<Expr>,
    /// What is evaluated since it may have a fault.
    evaluated: Vec<Expr>,
    assigned: Vec<(Local, Expr)>,
    placed: Vec<Placed>,
    /// Units that end.
    ended: Vec<UnitId>,
    received: Vec<Local>,
    code: CodeId,
}

#[derive(Clone, Debug)]
struct Placed {
    unit: UnitId,
    at: usize,
    values: Vec<(Local, Expr)>,
}

/// Gates and values of a process that is being unfolded.
#[derive(Clone, Debug)]
struct Scope {
    process: ProcessId,
    gates: Vec<Gate>,
    values: HashMap<u32, Value>,
}

/// A `>>` whose left side is being unfolded.
#[derive(Clone, Debug)]
struct Frame {
    code: CodeId,
    gates: Vec<Gate>,
    scope: Scope,
}

/// One case of what a behaviour becomes.
#[derive(Clone, Debug)]
struct Entered {
    conditions: Vec<Expr>,
    control: Control,
    assigned: Vec<(Local, Expr)>,
    placed: Vec<Placed>,
}

/// A program, and what its parts stand for.
pub(super) struct Lowered {
    pub(super) program: Program,
    pub(super) units: Vec<Unit>,
    pub(super) sites: Vec<Site>,
    /// For each vector what is seen of it, and the sorts of the values.
    pub(super) labels: Vec<(Gate, Vec<SortId>)>,
    /// For each unit the code of each command.
    pub(super) codes: Vec<Vec<Option<CodeId>>>,
}

impl Unit {
    pub(super) fn local(&self, local: Local) -> Option<usize> {
        self.locals.iter().position(|(other, _)| *other == local)
    }
}

pub(super) struct Lowering<'a> {
    spec: &'a Compiled,
    data: Translation<'a>,
    units: Vec<Unit>,
    sites: Vec<Site>,
    known: HashMap<(UnitId, CodeId, Vec<Gate>, Stack), SiteId>,
    /// Locations whose commands are still to be found.
    todo: Vec<(UnitId, usize)>,
    splits: Vec<bool>,
    locations: usize,
}

/// Of all codes, whether they are parallel before their first action: a least fixpoint, since processes call each other.
fn splitting(spec: &Compiled) -> Vec<bool> {
    let mut splits = vec![false; spec.codes.len()];
    loop {
        let before = splits.clone();
        for (at, code) in spec.codes.iter().enumerate() {
            let is = |code: CodeId| splits[code as usize];
            splits[at] = match &code.kind {
                CodeKind::Stop | CodeKind::Exit(_) | CodeKind::Prefix { .. } => false,
                CodeKind::Parallel(..) | CodeKind::Disable(..) => true,
                CodeKind::ParGates(_, among, _, body) => among.len() > 1 || is(*body),
                CodeKind::Guard(_, next) | CodeKind::Hide(_, next) | CodeKind::Let(_, next) => is(*next),
                CodeKind::ChoiceValues(_, next) | CodeKind::ChoiceGates(_, _, next) => is(*next),
                CodeKind::Choice(all) => all.iter().any(|&one| is(one)),
                CodeKind::Call(process, ..) => is(spec.processes[*process as usize].body),
                CodeKind::Enable { left, .. } => is(*left),
            };
        }
        if splits == before {
            return splits;
        }
    }
}

type Done<T> = Result<T, NotLowered>;

fn refuse<T>(text: &str) -> Done<T> {
    Err(NotLowered(text.to_owned()))
}

impl<'a> Lowering<'a> {
    pub(super) fn lower(spec: &'a Compiled) -> Done<Lowered> {
        if spec.aliasing == Aliasing::Iso {
            return refuse("gates are renamed after they are synchronised");
        }
        if spec.memory.is_some() {
            return refuse("values that are no longer used belong to states");
        }
        let mut lowering = Self {
            spec,
            data: Translation::new(&spec.data),
            units: Vec::new(),
            sites: Vec::new(),
            known: HashMap::new(),
            todo: Vec::new(),
            splits: splitting(spec),
            locations: 0,
        };
        let root = lowering.unit(spec.top_gates)?;
        let gates = 0..spec.processes[0].gates.len() as u32;
        let gates = gates.map(|gate| if gate < spec.top_gates { gate } else { Gate::MAX }).collect();
        let scope = Scope { process: 0, gates, values: HashMap::new() };
        let entered = lowering.enter(root, spec.processes[0].body, &scope, &[], &mut Vec::new())?;
        // Without variables every condition is decided.
        let [initial] = &entered[..] else { return refuse("its first state is not certain") };
        let initial = initial.clone();
        if !initial.conditions.is_empty() {
            return refuse("its first state is not certain");
        }
        let first = lowering.location(root, initial.control)?;
        let own = Placed { unit: root, at: first, values: initial.assigned };
        for placed in [own].into_iter().chain(initial.placed) {
            lowering.units[placed.unit].first = placed.at;
            lowering.units[placed.unit].initial = placed.values;
        }
        while let Some((unit, at)) = lowering.todo.pop() {
            lowering.expand(unit, at)?;
        }
        lowering.finish()
    }

    fn unit(&mut self, base: Gate) -> Done<UnitId> {
        if self.units.len() >= MOST_UNITS {
            return refuse("it has too many parts that can be parallel");
        }
        let ended = Control { stack: Vec::new(), core: Core::Ended };
        self.units.push(Unit {
            base,
            controls: vec![ended.clone()],
            numbers: HashMap::from([(ended, 0)]),
            locals: Vec::new(),
            commands: Vec::new(),
            used: BTreeSet::new(),
            sites: Vec::new(),
            first: 0,
            initial: Vec::new(),
        });
        Ok(self.units.len() - 1)
    }

    fn location(&mut self, unit: UnitId, control: Control) -> Done<usize> {
        let own = &mut self.units[unit];
        if let Some(&at) = own.numbers.get(&control) {
            return Ok(at);
        }
        self.locations += 1;
        if self.locations > MOST_LOCATIONS {
            return refuse("it has too many control points");
        }
        let at = own.controls.len();
        own.numbers.insert(control.clone(), at);
        own.controls.push(control);
        self.todo.push((unit, at));
        Ok(at)
    }

    fn local(&mut self, unit: UnitId, local: Local) -> u32 {
        let sort = match local {
            Local::Variable(process, slot) => {
                self.spec.processes[process as usize].variables[slot as usize].1
            }
            Local::Received(_, sort) => sort,
        };
        let locals = &mut self.units[unit].locals;
        let at = locals.iter().position(|(other, _)| *other == local).unwrap_or_else(|| {
            locals.push((local, sort));
            locals.len() - 1
        });
        at as u32
    }

    fn load(&mut self, unit: UnitId, local: Local) -> Value {
        let variable = VariableRef::Local(self.local(unit, local));
        Value { expr: Expr::Load(Lvalue { variable, indices: Vec::new() }), fails: false }
    }

    fn sort(&self, process: ProcessId, slot: u32) -> SortId {
        self.spec.processes[process as usize].variables[slot as usize].1
    }

    /// The scope of a unit at a piece of code: variables are its locals.
    fn scope(&mut self, unit: UnitId, code: CodeId, slots: (&[u32], &[u32]), gates: &[Gate]) -> Scope {
        let process = self.spec.codes[code as usize].process;
        let own = &self.spec.processes[process as usize];
        let mut all = vec![Gate::MAX; own.gates.len()];
        slots.0.iter().zip(gates).for_each(|(&slot, &gate)| all[slot as usize] = gate);
        let values =
            slots.1.iter().map(|&slot| (slot, self.load(unit, Local::Variable(process, slot)))).collect();
        Scope { process, gates: all, values }
    }

    fn scope_of_code(&mut self, unit: UnitId, code: CodeId, gates: &[Gate]) -> Scope {
        let own = &self.spec.codes[code as usize];
        self.scope(unit, code, (&own.gates, &own.variables), gates)
    }

    fn frame(&mut self, unit: UnitId, (code, gates): &(CodeId, Vec<Gate>)) -> Frame {
        let (slots, variables) = self.spec.continuation(*code);
        let scope = self.scope(unit, *code, (slots, &variables), gates);
        Frame { code: *code, gates: gates.clone(), scope }
    }

    // ---- What a behaviour becomes ----

    /// Whether a behaviour is parallel, or may be interrupted, before its first action.
    fn splits(&self, code: CodeId) -> bool {
        self.splits[code as usize]
    }

    fn called(
        &mut self,
        scope: &Scope,
        process: ProcessId,
        gates: &[u32],
        values: &[crate::data::Term],
    ) -> Done<Scope> {
        let own = &self.spec.processes[process as usize];
        let mut all = vec![Gate::MAX; own.gates.len()];
        gates.iter().enumerate().for_each(|(at, &slot)| all[at] = scope.gates[slot as usize]);
        let mut given = HashMap::new();
        for (at, value) in values.iter().enumerate() {
            given.insert(at as u32, self.data.term(value, &scope.values)?);
        }
        Ok(Scope { process, gates: all, values: given })
    }

    /// The scope below `hide`.
    fn hidden(&self, unit: UnitId, code: CodeId, scope: &Scope, slots: &[u32], frames: &[Frame]) -> Scope {
        let mut scope = scope.clone();
        let used = self.spec.codes[code as usize].gates.iter().map(|&slot| scope.gates[slot as usize]);
        let around = frames.iter().flat_map(|frame| frame.gates.iter().copied());
        let beyond = used.chain(around).filter(|&gate| gate < INTERNAL - 2).map(|gate| gate + 1).max();
        let first = beyond.unwrap_or(0).max(self.units[unit].base);
        slots.iter().zip(first..).for_each(|(&slot, gate)| scope.gates[slot as usize] = gate);
        scope
    }

    fn enter(
        &mut self,
        unit: UnitId,
        code: CodeId,
        scope: &Scope,
        frames: &[Frame],
        calls: &mut Vec<ProcessId>,
    ) -> Done<Vec<Entered>> {
        let spec = self.spec;
        if !self.splits(code) {
            let gates = self.gates_of(code, scope);
            let core = match spec.codes[code as usize].kind {
                CodeKind::Stop => Core::Stop,
                _ => Core::Code(code, gates),
            };
            return Ok(vec![self.entered(unit, core, Some((code, scope)), frames)?]);
        }
        match &spec.codes[code as usize].kind {
            CodeKind::Stop | CodeKind::Exit(_) | CodeKind::Prefix { .. } => {
                unreachable!("an action is not parallel")
            }
            CodeKind::Guard(condition, next) => {
                let condition = self.data.condition(condition, &scope.values)?;
                let stop = |this: &mut Self| this.entered(unit, Core::Stop, None, &[]);
                match condition.known() {
                    Some(0) => Ok(vec![stop(self)?]),
                    Some(_) => self.enter(unit, *next, scope, frames, calls),
                    None => {
                        let mut cases = self.enter(unit, *next, scope, frames, calls)?;
                        cases.iter_mut().for_each(|case| case.conditions.insert(0, condition.expr.clone()));
                        let mut no = stop(self)?;
                        no.conditions.push(both(Binary::Eq, condition.expr, Expr::Const(0)));
                        cases.push(no);
                        Ok(cases)
                    }
                }
            }
            CodeKind::Let(bindings, body) => {
                let mut scope = scope.clone();
                for (slot, term) in bindings {
                    let value = self.data.term(term, &scope.values)?;
                    scope.values.insert(*slot, value);
                }
                self.enter(unit, *body, &scope, frames, calls)
            }
            CodeKind::Hide(slots, body) => {
                let scope = self.hidden(unit, code, scope, slots, frames);
                self.enter(unit, *body, &scope, frames, calls)
            }
            CodeKind::Call(process, gates, values) => {
                if calls.contains(process) || calls.len() > DEEPEST {
                    return refuse("a process calls itself without an action before it");
                }
                let scope = self.called(scope, *process, gates, values)?;
                calls.push(*process);
                let body = spec.processes[*process as usize].body;
                let entered = self.enter(unit, body, &scope, frames, calls);
                calls.pop();
                entered
            }
            CodeKind::Enable { left, .. } => {
                let (slots, _) = spec.continuation(code);
                let gates = slots.iter().map(|&slot| scope.gates[slot as usize]).collect();
                let frames = [frames, &[Frame { code, gates, scope: scope.clone() }]].concat();
                self.enter(unit, *left, scope, &frames, calls)
            }
            CodeKind::ChoiceGates(slot, among, body) | CodeKind::ParGates(slot, among, _, body)
                if among.len() == 1 =>
            {
                let scope = with_gate(scope, *slot, among[0]);
                self.enter(unit, *body, &scope, frames, calls)
            }
            CodeKind::ChoiceValues(..) => refuse("a choice of values has a parallel operator as its body"),
            CodeKind::Parallel(_, left, right) => {
                self.at_site(unit, code, scope, frames, &[(*left, None), (*right, None)], calls)
            }
            CodeKind::Disable(left, right) if self.splits(*right) => {
                self.at_site(unit, code, scope, frames, &[(*left, None), (*right, None)], calls)
            }
            CodeKind::Disable(left, _) => self.at_site(unit, code, scope, frames, &[(*left, None)], calls),
            CodeKind::Choice(alternatives) => {
                let operands: Vec<_> = alternatives.iter().map(|&one| (one, None)).collect();
                self.at_site(unit, code, scope, frames, &operands, calls)
            }
            CodeKind::ChoiceGates(slot, among, body) | CodeKind::ParGates(slot, among, _, body) => {
                let operands: Vec<_> = among.iter().map(|&gate| (*body, Some((*slot, gate)))).collect();
                self.at_site(unit, code, scope, frames, &operands, calls)
            }
        }
    }

    fn gates_of(&self, code: CodeId, scope: &Scope) -> Vec<Gate> {
        self.spec.codes[code as usize].gates.iter().map(|&slot| scope.gates[slot as usize]).collect()
    }

    /// A control point with the values that it needs.
    fn entered(
        &mut self,
        unit: UnitId,
        core: Core,
        of: Option<(CodeId, &Scope)>,
        frames: &[Frame],
    ) -> Done<Entered> {
        let mut assigned: Vec<(Local, Expr)> = Vec::new();
        let mut take = |process: ProcessId, slots: &[u32], scope: &Scope| -> Done<()> {
            for &slot in slots {
                let (local, value) = (Local::Variable(process, slot), &scope.values[&slot].expr);
                match assigned.iter().find(|(other, _)| *other == local) {
                    Some((_, known)) if known != value => {
                        return refuse("a process is active twice in one part");
                    }
                    Some(_) => {}
                    None => assigned.push((local, value.clone())),
                }
            }
            Ok(())
        };
        let frames = if core == Core::Stop { &[] } else { frames };
        if let Some((code, scope)) = of {
            take(scope.process, &self.spec.codes[code as usize].variables, scope)?;
        }
        for frame in frames {
            let (_, slots) = self.spec.continuation(frame.code);
            take(frame.scope.process, &slots, &frame.scope)?;
        }
        for &(local, _) in &assigned {
            self.local(unit, local);
        }
        let stack = frames.iter().map(|frame| (frame.code, frame.gates.clone())).collect();
        Ok(Entered { conditions: Vec::new(), control: Control { stack, core }, assigned, placed: Vec::new() })
    }

    /// A unit waits, and others go on.
    fn at_site(
        &mut self,
        unit: UnitId,
        code: CodeId,
        scope: &Scope,
        frames: &[Frame],
        operands: &[(CodeId, Option<(u32, u32)>)],
        calls: &mut Vec<ProcessId>,
    ) -> Done<Vec<Entered>> {
        let spec = self.spec;
        let gates = self.gates_of(code, scope);
        let stack: Vec<(CodeId, Vec<Gate>)> =
            frames.iter().map(|frame| (frame.code, frame.gates.clone())).collect();
        let key = (unit, code, gates.clone(), stack.clone());
        let site = match self.known.get(&key) {
            Some(&site) => site,
            None => {
                let around = stack.iter().flat_map(|(_, gates)| gates.iter().copied());
                let used = gates.iter().copied().chain(around).filter(|&gate| gate < INTERNAL - 2);
                let base = used.map(|gate| gate + 1).max().unwrap_or(0).max(self.units[unit].base);
                let units = operands.iter().map(|_| self.unit(base)).collect::<Done<Vec<UnitId>>>()?;
                let sync = |sync: &SyncCode| match sync {
                    SyncCode::All => None,
                    SyncCode::Gates(slots) => {
                        Some(slots.iter().map(|&slot| scope.gates[slot as usize]).collect::<Vec<Gate>>())
                    }
                };
                let join = match &spec.codes[code as usize].kind {
                    CodeKind::Parallel(gates, ..) | CodeKind::ParGates(_, _, gates, _) => {
                        let gates = sync(gates);
                        let (last, before) = units.split_last().expect("it has operands");
                        Join::Parallel(before.iter().rev().fold(Shape::Unit(*last), |right, &left| {
                            Shape::Parallel(gates.clone(), Box::new(Shape::Unit(left)), Box::new(right))
                        }))
                    }
                    CodeKind::Disable(..) if units.len() == 1 => Join::Interrupted(units[0]),
                    CodeKind::Disable(..) => Join::Disable(units[0], units[1]),
                    _ => Join::Choice(units),
                };
                let site = self.sites.len();
                self.sites.push(Site { unit, join, goes_on: !stack.is_empty() });
                self.units[unit].sites.push(site);
                self.known.insert(key, site);
                site
            }
        };
        let units = self.sites[site].join.units();
        let own = match (&self.sites[site].join, &spec.codes[code as usize].kind) {
            (Join::Interrupted(_), CodeKind::Disable(_, right)) => {
                let gates = self.gates_of(*right, scope);
                self.entered(unit, Core::Interrupt(site, *right, gates), Some((*right, scope)), frames)?
            }
            _ => self.entered(unit, Core::Site(site), None, frames)?,
        };
        let mut cases = vec![own];
        for (&child, &(operand, gate)) in units.iter().zip(operands) {
            let scope = gate.map_or_else(|| scope.clone(), |(slot, gate)| with_gate(scope, slot, gate));
            let entered = self.enter(child, operand, &scope, &[], calls)?;
            let mut next = Vec::new();
            for case in &cases {
                for one in &entered {
                    let mut case = case.clone();
                    let at = self.location(child, one.control.clone())?;
                    case.conditions.extend(one.conditions.iter().cloned());
                    case.placed.push(Placed { unit: child, at, values: one.assigned.clone() });
                    case.placed.extend(one.placed.iter().cloned());
                    next.push(case);
                }
            }
            if next.len() > MOST_ALTERNATIVES {
                return refuse("parts begin in too many ways");
            }
            cases = next;
        }
        Ok(cases)
    }

    /// What is evaluated while a behaviour is unfolded and may have a fault, each under what has been decided before.
    fn evaluated(
        &mut self,
        code: CodeId,
        scope: &Scope,
        path: &[Expr],
        calls: &mut Vec<ProcessId>,
        out: &mut Vec<Expr>,
    ) -> Done<()> {
        let spec = self.spec;
        let note = |value: &Value, out: &mut Vec<Expr>| {
            if value.fails {
                let evaluation = both(Binary::Eq, value.expr.clone(), value.expr.clone());
                let path = [path, &[evaluation]].concat();
                out.extend(all(&path));
            }
        };
        match &spec.codes[code as usize].kind {
            CodeKind::Stop | CodeKind::Exit(_) | CodeKind::Prefix { .. } | CodeKind::ChoiceValues(..) => {
                Ok(())
            }
            CodeKind::Guard(condition, next) => {
                let condition = self.data.condition(condition, &scope.values)?;
                note(&condition, out);
                match condition.known() {
                    Some(0) => Ok(()),
                    Some(_) => self.evaluated(*next, scope, path, calls, out),
                    None => self.evaluated(*next, scope, &[path, &[condition.expr]].concat(), calls, out),
                }
            }
            CodeKind::Choice(all) => {
                all.iter().try_for_each(|&one| self.evaluated(one, scope, path, calls, out))
            }
            CodeKind::Parallel(_, left, right) | CodeKind::Disable(left, right) => {
                self.evaluated(*left, scope, path, calls, out)?;
                self.evaluated(*right, scope, path, calls, out)
            }
            CodeKind::Hide(_, body)
            | CodeKind::ChoiceGates(_, _, body)
            | CodeKind::ParGates(_, _, _, body) => self.evaluated(*body, scope, path, calls, out),
            CodeKind::Let(bindings, body) => {
                let mut scope = scope.clone();
                for (slot, term) in bindings {
                    let value = self.data.term(term, &scope.values)?;
                    note(&value, out);
                    scope.values.insert(*slot, value);
                }
                self.evaluated(*body, &scope, path, calls, out)
            }
            CodeKind::Call(process, gates, values) => {
                if calls.contains(process) || calls.len() > DEEPEST {
                    return refuse("a process calls itself without an action before it");
                }
                let scope = self.called(scope, *process, gates, values)?;
                scope.values.values().for_each(|value| note(value, out));
                calls.push(*process);
                let body = spec.processes[*process as usize].body;
                let done = self.evaluated(body, &scope, path, calls, out);
                calls.pop();
                done
            }
            CodeKind::Enable { left, .. } => self.evaluated(*left, scope, path, calls, out),
        }
    }

    // ---- What a unit can do ----

    fn expand(&mut self, unit: UnitId, at: usize) -> Done<()> {
        let Control { stack, core } = self.units[unit].controls[at].clone();
        let frames: Vec<Frame> = stack.iter().map(|frame| self.frame(unit, frame)).collect();
        match core {
            Core::Ended | Core::Stop => Ok(()),
            Core::Code(code, gates) => {
                let scope = self.scope_of_code(unit, code, &gates);
                self.walk((unit, at, &[]), code, &scope, &[], &frames, &mut Vec::new())
            }
            Core::Site(site) => {
                let ended = match self.sites[site].join {
                    Join::Disable(_, right) => vec![right],
                    _ => Vec::new(),
                };
                self.accept(unit, at, &frames, &ended)
            }
            Core::Interrupt(site, code, gates) => {
                let scope = self.scope_of_code(unit, code, &gates);
                let ended = self.sites[site].join.units();
                self.walk((unit, at, &ended), code, &scope, &[], &frames, &mut Vec::new())?;
                self.accept(unit, at, &frames, &[])
            }
        }
    }

    /// The units of a site have ended, and something follows.
    fn accept(&mut self, unit: UnitId, at: usize, frames: &[Frame], ended: &[UnitId]) -> Done<()> {
        let Some(frame) = frames.last() else { return Ok(()) };
        let CodeKind::Enable { accept, right, atomic, .. } = &self.spec.codes[frame.code as usize].kind
        else {
            unreachable!("this is the code of `>>`")
        };
        if *atomic {
            return refuse("a `>>` is atomic");
        }
        let mut scope = frame.scope.clone();
        let sorts: Vec<SortId> = accept.iter().map(|&slot| self.sort(scope.process, slot)).collect();
        let mut received = Vec::new();
        let mut offers = Vec::new();
        for (position, (&slot, &sort)) in accept.iter().zip(&sorts).enumerate() {
            offers.push(self.receive(unit, (position, sort), slot, &mut scope, &mut received));
        }
        let sync = Some((EXIT, sorts, true, offers));
        let draft = Draft { ended: ended.to_vec(), ..draft(at, sync, received, frame.code) };
        self.go(unit, &draft, None, *right, &scope, &frames[..frames.len() - 1])
    }

    fn receive(
        &mut self,
        unit: UnitId,
        (position, sort): (usize, SortId),
        slot: u32,
        scope: &mut Scope,
        received: &mut Vec<Local>,
    ) -> Pattern {
        let local = Local::Received(position, sort);
        received.push(local);
        let value = self.load(unit, local);
        let variable = VariableRef::Local(self.local(unit, local));
        scope.values.insert(slot, value);
        Pattern::Bind(Lvalue { variable, indices: Vec::new() })
    }

    /// The first actions of a behaviour.
    fn walk(
        &mut self,
        of: (UnitId, usize, &[UnitId]),
        code: CodeId,
        scope: &Scope,
        path: &[Expr],
        frames: &[Frame],
        calls: &mut Vec<ProcessId>,
    ) -> Done<()> {
        let spec = self.spec;
        let (unit, at, ended) = of;
        match &spec.codes[code as usize].kind {
            CodeKind::Stop => Ok(()),
            CodeKind::Exit(offers) => {
                let mut values = Vec::new();
                let mut sorts = Vec::new();
                for offer in offers {
                    let (value, sort) = self.offer(offer, scope, (unit, at, code), path)?;
                    values.push(value);
                    sorts.push(sort);
                }
                let Some(frame) = frames.last() else {
                    let give =
                        |value: Option<Value>| value.map_or(Pattern::Any, |value| Pattern::Match(value.expr));
                    let offers = values.into_iter().map(give).collect();
                    let own = Draft {
                        ended: ended.to_vec(),
                        guard: all(path),
                        ..draft(at, Some((EXIT, sorts, false, offers)), Vec::new(), code)
                    };
                    return self.push(unit, own);
                };
                let CodeKind::Enable { accept, right, atomic, .. } = &spec.codes[frame.code as usize].kind
                else {
                    unreachable!("this is the code of `>>`")
                };
                if *atomic {
                    return refuse("a `>>` is atomic");
                }
                let mut after = frame.scope.clone();
                let (mut received, mut own, mut taken) = (Vec::new(), Vec::new(), Vec::new());
                for (position, (value, (&slot, &sort))) in
                    values.into_iter().zip(accept.iter().zip(&sorts)).enumerate()
                {
                    match value {
                        Some(value) => _ = after.values.insert(slot, value),
                        None => {
                            own.push(self.receive(unit, (position, sort), slot, &mut after, &mut received));
                            taken.push(sort);
                        }
                    }
                }
                let sync = (!own.is_empty()).then_some((INTERNAL, taken, false, own));
                let own =
                    Draft { ended: ended.to_vec(), guard: all(path), ..draft(at, sync, received, code) };
                self.go(unit, &own, None, *right, &after, &frames[..frames.len() - 1])
            }
            CodeKind::Prefix { gate: None, next, .. } => {
                let own =
                    Draft { ended: ended.to_vec(), guard: all(path), ..draft(at, None, Vec::new(), code) };
                self.go(unit, &own, None, *next, scope, frames)
            }
            CodeKind::Prefix { gate: Some(slot), offers, guard, next } => {
                let gate = scope.gates[*slot as usize];
                let mut after = scope.clone();
                let (mut received, mut own, mut sorts) = (Vec::new(), Vec::new(), Vec::new());
                for (position, offer) in offers.iter().enumerate() {
                    let (value, sort) = self.offer(offer, scope, (unit, at, code), path)?;
                    own.push(match (value, offer) {
                        (Some(value), _) => Pattern::Match(value.expr),
                        (None, OfferCode::Receive(Some(slot), sort)) => {
                            self.receive(unit, (position, *sort), *slot, &mut after, &mut received)
                        }
                        (None, _) => Pattern::Any,
                    });
                    sorts.push(sort);
                }
                let predicate = match guard {
                    Some(guard) => Some(self.data.condition(guard, &after.values)?),
                    None => None,
                };
                let own = Draft {
                    ended: ended.to_vec(),
                    guard: all(path),
                    ..draft(at, Some((gate, sorts, false, own)), received, code)
                };
                self.go(unit, &own, predicate.as_ref(), *next, &after, frames)
            }
            CodeKind::Guard(condition, next) => {
                let condition = self.data.condition(condition, &scope.values)?;
                match condition.known() {
                    Some(0) => Ok(()),
                    Some(_) => self.walk(of, *next, scope, path, frames, calls),
                    None => self.walk(of, *next, scope, &[path, &[condition.expr]].concat(), frames, calls),
                }
            }
            CodeKind::Choice(alternatives) => {
                alternatives.iter().try_for_each(|&one| self.walk(of, one, scope, path, frames, calls))
            }
            CodeKind::Let(bindings, body) => {
                let mut scope = scope.clone();
                for (slot, term) in bindings {
                    let value = self.data.term(term, &scope.values)?;
                    scope.values.insert(*slot, value);
                }
                self.walk(of, *body, &scope, path, frames, calls)
            }
            CodeKind::ChoiceValues(slots, body) => {
                let mut scopes = vec![scope.clone()];
                for &slot in slots {
                    let domain = self.data.domain(self.sort(scope.process, slot))?;
                    if scopes.len() * domain.all.len() > MOST_ALTERNATIVES {
                        return refuse("a choice has too many values");
                    }
                    let with = |scope: &Scope, number: i32| {
                        let mut scope = scope.clone();
                        scope.values.insert(slot, Value::constant(number));
                        scope
                    };
                    let numbers = || domain.low..=domain.high;
                    scopes = scopes
                        .iter()
                        .flat_map(|scope| numbers().map(|number| with(scope, number)).collect::<Vec<_>>())
                        .collect();
                }
                for scope in scopes {
                    let mut evaluated = Vec::new();
                    self.evaluated(*body, &scope, path, &mut Vec::new(), &mut evaluated)?;
                    evaluated.into_iter().try_for_each(|expr| self.detect(unit, at, code, expr))?;
                    self.walk(of, *body, &scope, path, frames, calls)?;
                }
                Ok(())
            }
            CodeKind::ChoiceGates(slot, among, body) | CodeKind::ParGates(slot, among, _, body) => {
                among.iter().try_for_each(|&gate| {
                    let scope = with_gate(scope, *slot, gate);
                    self.walk(of, *body, &scope, path, frames, calls)
                })
            }
            CodeKind::Hide(slots, body) => {
                let scope = self.hidden(unit, code, scope, slots, frames);
                self.walk(of, *body, &scope, path, frames, calls)
            }
            CodeKind::Call(process, gates, values) => {
                if calls.contains(process) || calls.len() > DEEPEST {
                    return refuse("a process calls itself without an action before it");
                }
                let scope = self.called(scope, *process, gates, values)?;
                calls.push(*process);
                let body = spec.processes[*process as usize].body;
                let done = self.walk(of, body, &scope, path, frames, calls);
                calls.pop();
                done
            }
            CodeKind::Enable { left, .. } => {
                let (slots, _) = spec.continuation(code);
                let gates = slots.iter().map(|&slot| scope.gates[slot as usize]).collect();
                let frames = [frames, &[Frame { code, gates, scope: scope.clone() }]].concat();
                self.walk(of, *left, scope, path, &frames, calls)
            }
            CodeKind::Parallel(..) | CodeKind::Disable(..) => unreachable!("units have been made of it"),
        }
    }

    /// What is offered, if it is a value, and its sort.
    fn offer(
        &mut self,
        offer: &OfferCode,
        scope: &Scope,
        (unit, at, code): (UnitId, usize, CodeId),
        path: &[Expr],
    ) -> Done<(Option<Value>, SortId)> {
        match offer {
            OfferCode::Receive(_, sort) => {
                self.data.domain(*sort)?;
                Ok((None, *sort))
            }
            OfferCode::Send(term) => {
                let value = self.data.term(term, &scope.values)?;
                if value.fails {
                    let evaluation = both(Binary::Eq, value.expr.clone(), value.expr.clone());
                    if let Some(expr) = all(&[path, &[evaluation]].concat()) {
                        self.detect(unit, at, code, expr)?;
                    }
                }
                Ok((Some(value), self.sort_of(term, scope)))
            }
        }
    }

    fn sort_of(&self, term: &crate::data::Term, scope: &Scope) -> SortId {
        match term {
            crate::data::Term::Variable(slot) => self.sort(scope.process, *slot),
            crate::data::Term::Number(sort, _) => *sort,
            crate::data::Term::Apply(op, _) => self.spec.data.ops[*op as usize].result,
        }
    }

    /// A command that is never executed, but whose guard has a fault where this has one.
    fn detect(&mut self, unit: UnitId, at: usize, code: CodeId, expr: Expr) -> Done<()> {
        let never = both(Binary::And, expr, Expr::Const(0));
        self.push(unit, Draft { guard: Some(never), ..draft(at, None, Vec::new(), code) })
    }

    /// The commands for a step that leads to a behaviour.
    fn go(
        &mut self,
        unit: UnitId,
        own: &Draft,
        predicate: Option<&Value>,
        next: CodeId,
        scope: &Scope,
        frames: &[Frame],
    ) -> Done<()> {
        let mut evaluated = Vec::new();
        self.evaluated(next, scope, &[], &mut Vec::new(), &mut evaluated)?;
        for case in self.enter(unit, next, scope, frames, &mut Vec::new())? {
            let to = self.location(unit, case.control)?;
            let mut conditions = case.conditions;
            if let Some(predicate) = predicate {
                match predicate.known() {
                    Some(0) => return Ok(()),
                    Some(_) => {}
                    None => conditions.insert(0, predicate.expr.clone()),
                }
            }
            let when = all(&conditions);
            // Without a gate there is nothing to wait for: the condition is one of the command.
            let (guard, when) = match (&own.sync, when) {
                (None, Some(when)) => {
                    let all = own.guard.iter().cloned().chain([when]).collect::<Vec<_>>();
                    (self::all(&all), None)
                }
                (_, when) => (own.guard.clone(), when),
            };
            let draft = Draft {
                from: own.from,
                to,
                guard,
                sync: own.sync.clone(),
                when,
                evaluated: evaluated.clone(),
                assigned: case.assigned,
                placed: case.placed,
                ended: own.ended.clone(),
                received: own.received.clone(),
                code: own.code,
            };
            self.push(unit, draft)?;
        }
        Ok(())
    }

    fn push(&mut self, unit: UnitId, draft: Draft) -> Done<()> {
        if let Some((gate, sorts, accepts, _)) = &draft.sync {
            let mut count = 1_usize;
            for &sort in sorts {
                count = count.saturating_mul(self.data.domain(sort)?.all.len());
            }
            if count > 1 << 16 {
                return refuse("there are too many values at a gate");
            }
            self.units[unit].used.insert((*gate, sorts.clone(), *accepts));
        }
        let commands = &mut self.units[unit].commands;
        commands.push(draft);
        if commands.len() > MOST_COMMANDS {
            return refuse("it has too many actions");
        }
        Ok(())
    }

    /// A unit with those at its sites.
    fn below(&self, unit: UnitId) -> Vec<UnitId> {
        let mut all = vec![unit];
        for &site in &self.units[unit].sites {
            for child in self.sites[site].join.units() {
                all.extend(self.below(child));
            }
        }
        all
    }
}

impl Join {
    pub(super) fn units(&self) -> Vec<UnitId> {
        fn collect(shape: &Shape, out: &mut Vec<UnitId>) {
            match shape {
                Shape::Unit(unit) => out.push(*unit),
                Shape::Parallel(_, left, right) => {
                    collect(left, out);
                    collect(right, out);
                }
            }
        }
        match self {
            Join::Parallel(shape) => {
                let mut units = Vec::new();
                collect(shape, &mut units);
                units
            }
            Join::Interrupted(unit) => vec![*unit],
            Join::Disable(left, right) => vec![*left, *right],
            Join::Choice(units) => units.clone(),
        }
    }
}

fn with_gate(scope: &Scope, slot: u32, gate: u32) -> Scope {
    let mut scope = scope.clone();
    scope.gates[slot as usize] = scope.gates[gate as usize];
    scope
}

fn draft(
    from: usize,
    sync: Option<(Gate, Vec<SortId>, bool, Vec<Pattern>)>,
    received: Vec<Local>,
    code: CodeId,
) -> Draft {
    Draft {
        from,
        to: 0,
        guard: None,
        sync,
        when: None,
        evaluated: Vec::new(),
        assigned: Vec::new(),
        placed: Vec::new(),
        ended: Vec::new(),
        received,
        code,
    }
}

/// Units that act together.
#[derive(Clone)]
struct Together {
    members: Vec<(UnitId, Port)>,
    label: Gate,
    sorts: Vec<SortId>,
}

impl Lowering<'_> {
    fn finish(mut self) -> Done<Lowered> {
        // Who waits for the left side of `[>` hears of its end, although nothing follows.
        let mut exits: Vec<Vec<SortId>> = Vec::new();
        for unit in &self.units {
            for (gate, sorts, accepts) in &unit.used {
                if *gate == EXIT && !accepts && !exits.contains(sorts) {
                    exits.push(sorts.clone());
                }
            }
        }
        for unit in 0..self.units.len() {
            for at in 0..self.units[unit].controls.len() {
                let Control { stack, core } = &self.units[unit].controls[at];
                let ended = match core {
                    Core::Site(site) | Core::Interrupt(site, ..) if stack.is_empty() => {
                        match self.sites[*site].join {
                            Join::Interrupted(_) => Vec::new(),
                            Join::Disable(_, right) => vec![right],
                            Join::Parallel(_) | Join::Choice(_) => continue,
                        }
                    }
                    _ => continue,
                };
                for sorts in exits.clone() {
                    let offers = vec![Pattern::Any; sorts.len()];
                    let sync = Some((EXIT, sorts, true, offers));
                    let own = Draft { ended: ended.clone(), ..draft(at, sync, Vec::new(), 0) };
                    self.push(unit, own)?;
                }
            }
        }
        self.end_others();
        let vectors = self.vectors(0)?;
        let mut gates: Vec<Port> = Vec::new();
        for unit in &self.units {
            for used in &unit.used {
                if !gates.contains(used) {
                    gates.push(used.clone());
                }
            }
        }
        let number =
            |gate: &Port| GateId(gates.iter().position(|other| other == gate).expect("it is used") as u32);
        let top = |gate: Gate| {
            let name = self.spec.processes[0].gates.get(gate as usize).filter(|_| gate < self.spec.top_gates);
            name.map(|name| name.to_uppercase())
        };
        let label = |gate: Gate| match gate {
            INTERNAL => None,
            EXIT => Some("exit".to_owned()),
            gate => Some(top(gate).expect("what is hidden has become internal")),
        };
        let ir_vectors: Vec<ir::Vector> = vectors
            .iter()
            .map(|one| ir::Vector {
                members: one
                    .members
                    .iter()
                    .map(|(unit, gate)| (ir::ProcessId(*unit as u32), number(gate)))
                    .collect(),
                label: label(one.label),
            })
            .collect();
        let labels = vectors.iter().map(|one| (one.label, one.sorts.clone())).collect();
        let mut types = Types { sets: Vec::new(), known: HashMap::new() };
        let mut ir_gates = Vec::new();
        for (gate, sorts, accepts) in &gates {
            let name = match *gate {
                INTERNAL => "internal".to_owned(),
                EXIT if *accepts => "accept".to_owned(),
                EXIT => "exit".to_owned(),
                gate => top(gate).unwrap_or_else(|| format!("hidden {gate}")),
            };
            let mut offers = Vec::new();
            for &sort in sorts {
                offers.push(types.of(&mut self.data, sort)?);
            }
            ir_gates.push(ir::Gate { name, offers });
        }
        let mut processes = Vec::new();
        let mut codes = Vec::new();
        for unit in 0..self.units.len() {
            let (process, own) = self.process(unit, &number, &mut types)?;
            processes.push(process);
            codes.push(own);
        }
        let program = Program {
            name: self.spec.processes[0].name.to_string(),
            files: Vec::new(),
            calls: Vec::new(),
            symbols: types.sets,
            globals: Vec::new(),
            channels: Vec::new(),
            gates: ir_gates,
            vectors: ir_vectors,
            initial: (0..processes.len() as u32).map(ir::ProcessId).collect(),
            processes,
            propositions: Vec::new(),
            tracks_last: false,
            has_priorities: false,
        };
        Ok(Lowered { program, units: self.units, sites: self.sites, labels, codes })
    }

    /// Of the alternatives of a choice, and against the left side of `[>`, every action ends the others.
    fn end_others(&mut self) {
        for site in 0..self.sites.len() {
            let pairs: Vec<(UnitId, Vec<UnitId>)> = match &self.sites[site].join {
                Join::Parallel(_) | Join::Interrupted(_) => continue,
                Join::Disable(left, right) => vec![(*right, vec![*left])],
                Join::Choice(units) => {
                    let others =
                        |&one: &UnitId| units.iter().copied().filter(move |&other| other != one).collect();
                    units.iter().map(|one| (*one, others(one))).collect()
                }
            };
            for (actor, others) in pairs {
                for unit in self.below(actor) {
                    for command in &mut self.units[unit].commands {
                        command.ended.extend(&others);
                    }
                }
            }
        }
    }

    /// Who acts together, as a unit is seen from outside.
    fn vectors(&self, unit: UnitId) -> Done<Vec<Together>> {
        let own = &self.units[unit];
        let mut found = Vec::new();
        for gate in own.used.iter().filter(|(_, _, accepts)| !accepts) {
            found.push(Together {
                members: vec![(unit, gate.clone())],
                label: gate.0,
                sorts: gate.1.clone(),
            });
        }
        for &site in &own.sites {
            let site = &self.sites[site];
            let mut below = match &site.join {
                Join::Parallel(shape) => self.shape_vectors(shape)?,
                join => {
                    let mut all = Vec::new();
                    for child in join.units() {
                        all.push(self.vectors(child)?);
                    }
                    // What the right side of `[>` does to its left side is one of its effects; its own end is its own.
                    if let Join::Disable(..) = join {
                        let right = all.pop().expect("there are two sides");
                        if !site.goes_on {
                            found.extend(right.iter().filter(|one| one.label == EXIT).cloned());
                            all.push(right.into_iter().filter(|one| one.label != EXIT).collect());
                        } else {
                            all.push(right);
                        }
                    }
                    all.concat()
                }
            };
            let waits = !matches!(site.join, Join::Parallel(_) | Join::Choice(_)) || site.goes_on;
            for one in below.iter_mut().filter(|one| one.label == EXIT && waits) {
                debug_assert_eq!(site.unit, unit);
                one.members.push((unit, (EXIT, one.sorts.clone(), true)));
                if site.goes_on {
                    one.label = INTERNAL;
                }
            }
            found.append(&mut below);
        }
        for one in &mut found {
            if one.label < INTERNAL - 2 && one.label >= own.base {
                one.label = INTERNAL;
            }
        }
        // An end that nobody waits for with these results.
        found.retain(|one| one.members.iter().all(|(unit, gate)| self.units[*unit].used.contains(gate)));
        if found.len() > MOST_VECTORS {
            return refuse("parts can meet in too many ways");
        }
        Ok(found)
    }

    fn shape_vectors(&self, shape: &Shape) -> Done<Vec<Together>> {
        match shape {
            Shape::Unit(unit) => self.vectors(*unit),
            Shape::Parallel(sync, left, right) => {
                let (lefts, rights) = (self.shape_vectors(left)?, self.shape_vectors(right)?);
                let together = |label: Gate| match label {
                    INTERNAL => false,
                    EXIT => true,
                    gate => sync.as_ref().is_none_or(|sync| sync.contains(&gate)),
                };
                let alone = lefts.iter().chain(&rights).filter(|one| !together(one.label));
                let mut found: Vec<Together> = alone.cloned().collect();
                for one in lefts.iter().filter(|one| together(one.label)) {
                    for other in
                        rights.iter().filter(|other| (other.label, &other.sorts) == (one.label, &one.sorts))
                    {
                        if found.len() > MOST_VECTORS {
                            return refuse("parts can meet in too many ways");
                        }
                        let members = [&one.members[..], &other.members].concat();
                        found.push(Together { members, ..one.clone() });
                    }
                }
                Ok(found)
            }
        }
    }

    // ---- Processes ----

    fn process(
        &mut self,
        unit: UnitId,
        number: &dyn Fn(&Port) -> GateId,
        types: &mut Types,
    ) -> Done<(ProcessType, Vec<Option<CodeId>>)> {
        let rests: Vec<i32> = self.rests(unit)?;
        let mut locals = Vec::new();
        for (at, (local, sort)) in self.units[unit].locals.clone().into_iter().enumerate() {
            let name = match local {
                Local::Variable(process, slot) => {
                    let process = &self.spec.processes[process as usize];
                    format!("{}.{}", process.name, process.variables[slot as usize].0)
                }
                Local::Received(position, _) => format!("received.{position}.{sort}"),
            };
            let first = self.units[unit].initial.iter().find(|(other, _)| *other == local);
            let init = match first.map_or(Expr::Const(rests[at]), |(_, value)| value.clone()) {
                Expr::Const(0) => Init::Zero,
                value => Init::Value(value),
            };
            let ty = types.of(&mut self.data, sort)?;
            locals.push(Variable { name, ty, dims: Vec::new(), init, hidden: false });
        }
        let drafts = std::mem::take(&mut self.units[unit].commands);
        let mut locations: Vec<Location> = self.units[unit]
            .controls
            .iter()
            .map(|control| Location {
                groups: vec![Vec::new()],
                end: self.may_end(control),
                ..Location::default()
            })
            .collect();
        let mut commands = Vec::new();
        for (id, draft) in drafts.iter().enumerate() {
            locations[draft.from].groups[0].push(CommandId(id as u32));
            let mut effects = Vec::new();
            for expr in &draft.evaluated {
                effects.push(Effect::Assert(both(Binary::Or, expr.clone(), Expr::Const(1))));
            }
            let mut ended = BTreeSet::new();
            draft.ended.iter().for_each(|&unit| ended.extend(self.below(unit)));
            for other in ended {
                let arguments = self.rests(other)?.into_iter().map(Expr::Const).collect();
                effects.push(Effect::Place { process: ir::ProcessId(other as u32), at: Loc(0), arguments });
            }
            for placed in &draft.placed {
                let rests = self.rests(placed.unit)?;
                let mut arguments: Vec<Expr> = rests.into_iter().map(Expr::Const).collect();
                for (local, value) in &placed.values {
                    let at = self.units[placed.unit].local(*local).expect("it was made");
                    arguments[at] = value.clone();
                }
                let (process, at) = (ir::ProcessId(placed.unit as u32), Loc(placed.at as u32));
                effects.push(Effect::Place { process, at, arguments });
            }
            self.assign(unit, draft, &rests, &mut effects);
            let sync = match &draft.sync {
                None => Sync::None,
                Some((gate, sorts, accepts, offers)) => Sync::Gate {
                    gate: number(&(*gate, sorts.clone(), *accepts)),
                    offers: offers.clone(),
                    when: draft.when.clone(),
                },
            };
            let (file, line) = self.spec.sources.line(self.spec.codes[draft.code as usize].span);
            commands.push(Command {
                guard: draft.guard.clone().map_or(Guard::Always, Guard::When),
                sync,
                effects,
                target: Loc(draft.to as u32),
                atomic: false,
                text: format!("{file}:{line}"),
                place: None,
            });
        }
        // Who waits does nothing that is seen.
        let acts = |draft: &&Draft| !matches!(draft.sync, Some((_, _, true, _)));
        let codes = drafts.iter().map(|draft| Some(draft).filter(acts).map(|draft| draft.code)).collect();
        let own = ProcessType {
            name: format!("unit{unit}"),
            parameters: locals.len() as u32,
            locals,
            locations,
            commands,
            entry: Loc(self.units[unit].first as u32),
            provided: None,
            priority: 1,
        };
        Ok((own, codes))
    }

    fn may_end(&self, control: &Control) -> bool {
        match control.core {
            Core::Ended => true,
            // Its units tell.
            Core::Site(_) => control.stack.is_empty(),
            Core::Stop | Core::Code(..) | Core::Interrupt(..) => false,
        }
    }

    /// What locals hold that are not used: 0, if that is one of their values.
    fn rests(&mut self, unit: UnitId) -> Done<Vec<i32>> {
        let sorts: Vec<SortId> = self.units[unit].locals.iter().map(|(_, sort)| *sort).collect();
        let mut rests = Vec::new();
        for sort in sorts {
            let domain = self.data.domain(sort)?;
            rests.push(0.clamp(domain.low, domain.high));
        }
        Ok(rests)
    }

    /// All locals get what they need at the target at once, and others nothing.
    fn assign(&self, unit: UnitId, draft: &Draft, rests: &[i32], effects: &mut Vec<Effect>) {
        let own = &self.units[unit];
        let variable = |at: usize| Lvalue { variable: VariableRef::Local(at as u32), indices: Vec::new() };
        let mut next: BTreeMap<usize, Expr> = BTreeMap::new();
        let before = self.live(&own.controls[draft.from]);
        for local in before.iter().chain(&draft.received) {
            if let Some(at) = own.local(*local) {
                next.insert(at, Expr::Const(rests[at]));
            }
        }
        for (local, value) in &draft.assigned {
            next.insert(own.local(*local).expect("it was made"), value.clone());
        }
        next.retain(|&at, value| *value != Expr::Load(variable(at)));
        // One after the other, so that nobody reads what has been overwritten.
        while !next.is_empty() {
            let reads = |value: &Expr, at: usize| {
                let mut found = false;
                value.for_each(&mut |expr| found |= *expr == Expr::Load(variable(at)));
                found
            };
            let free = next
                .keys()
                .copied()
                .find(|&at| next.iter().all(|(&other, value)| other == at || !reads(value, at)));
            if let Some(at) = free {
                let value = next.remove(&at).expect("it is there");
                effects.push(Effect::Assign(variable(at), value));
                continue;
            }
            // All are in circles: the process puts itself where it goes, with all values at once.
            let arguments = (0..own.locals.len())
                .map(|at| next.get(&at).cloned().unwrap_or_else(|| Expr::Load(variable(at))))
                .collect();
            let (process, at) = (ir::ProcessId(unit as u32), Loc(draft.to as u32));
            effects.push(Effect::Place { process, at, arguments });
            return;
        }
    }

    /// The variables that a control point needs.
    fn live(&self, control: &Control) -> Vec<Local> {
        let mut live = Vec::new();
        for (code, _) in &control.stack {
            let process = self.spec.codes[*code as usize].process;
            let (_, slots) = self.spec.continuation(*code);
            live.extend(slots.into_iter().map(|slot| Local::Variable(process, slot)));
        }
        if let Core::Code(code, _) | Core::Interrupt(_, code, _) = &control.core {
            let code = &self.spec.codes[*code as usize];
            live.extend(code.variables.iter().map(|&slot| Local::Variable(code.process, slot)));
        }
        live
    }
}

/// The types of sorts.
struct Types {
    sets: Vec<SymbolSet>,
    known: HashMap<SortId, Type>,
}

impl Types {
    fn of(&mut self, data: &mut Translation<'_>, sort: SortId) -> Done<Type> {
        if let Some(&known) = self.known.get(&sort) {
            return Ok(known);
        }
        let domain = data.domain(sort)?;
        let own = &data.data.sorts[sort as usize];
        let is_number = matches!(own.kind, crate::data::SortKind::Numbers(..));
        let ty = if is_number || domain.all.len() > 256 {
            Type::Range(domain.low, domain.high)
        } else {
            let member = |(number, &value): (i32, &crate::data::Val)| {
                let mut text = String::new();
                data.values.show(data.data, value, &mut text);
                (text, number)
            };
            let members = (0..).zip(domain.all.iter()).map(member).collect();
            self.sets.push(SymbolSet { name: own.name.to_string(), members });
            Type::Symbol(SymbolsId(self.sets.len() as u32 - 1))
        };
        self.known.insert(sort, ty);
        Ok(ty)
    }
}
