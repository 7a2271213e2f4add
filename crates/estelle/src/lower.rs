//! From modules to the program of guarded commands.
//!
//! A leaf of the tree is a process whose locations are its states; a queue is a channel without bound; the variables of modules are globals,
//! so that whoever chooses for several modules can ask for the guards of all. A transition is one step: a single command, or a deterministic
//! sequence (see [`code`]). What can be seen of it is its guard (see [`guard`]) and its priority, which becomes a group of the location.
//!
//! **Systems.** Modules of different systems interleave, and so do the children of an activity. The children of a process move together: each
//! unit of the system (a module, or the modules below an activity, of which one is chosen) selects a transition if it has one, and what was
//! selected is executed. A process of its own, the *scheduler*, does this for the modules of such a system, which are locations only: it
//! looks where they are ([`Expr::At`]) and puts them elsewhere ([`Effect::Place`]). Its step is an atomic sequence, whose ways are the
//! choices. The order of execution matters only where two units can send to one queue; only then all orders are followed.
//!
//! **Two ways of stepping.** [`Stepping::Atomic`] selects and executes in one step: all interleavings of transitions, as the 1990 report has
//! them. [`Stepping::Select`] is that of the standard: a system without selected transitions selects, and each selected transition is
//! executed in a step of its own, between those of other systems. What is selected is part of the state: a module is at a location that says
//! so. The two differ: with priorities, a transition that was selected before a message arrived is executed after it.
//!
//! **Delays.** [`Delays::Untimed`] lets a delayed transition fire at any time while it is enabled, and it keeps no other from firing: more than
//! the standard allows. [`Delays::Ticks`] counts: a counter for each delayed transition is the report's D(S), and a process of its own, the
//! clock, increments all of them when no transition without delay is enabled and none has waited for as long as it may.

mod code;
mod expr;
mod guard;
mod room;
mod storage;

use crate::ast::{Class, Span};
use crate::instance::{At, Instances, element, element_name, elements};
use crate::tree::{BodyDef, Checked, MessageDef, Ordinal, TransitionDef, Ty, Var, VarKind};
use code::{Code, Place};
use elnath_program::ir::{
    Binary, Capacity, ChannelId, ChannelQuery, ChannelType, Command, CommandId, Effect, Expr, Guard, Init,
    Loc, Location, Pattern, ProcessId, ProcessType, Program, Sync, Type, Variable,
};
use elnath_source::{Message, SourceText, codes};
use expr::{all, any, binary, choose, constant, global, load, not};
use guard::Head;
use std::collections::HashMap;
use storage::{Piece, Symbols, pieces};

/// How a system proceeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// Transitions are selected and executed in one step.
    #[default]
    Atomic,
    /// First selected, and executed later, as in the standard.
    Select,
}

/// What `delay` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delays {
    /// A delayed transition may fire at any time while it is enabled.
    #[default]
    Untimed,
    /// Time passes in ticks.
    Ticks,
}

/// How a specification is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The values of `integer`.
    pub integers: Option<(i32, i32)>,
    /// How systems proceed.
    pub stepping: Stepping,
    /// What `delay` means.
    pub delays: Delays,
    /// The most messages that a queue holds; by default any number, as the language has it. With a capacity, a transition waits until there is
    /// room for all that it may send.
    pub capacity: Option<u32>,
}

/// What a specification became.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// The names that formulas and messages use.
    pub names: Names,
}

/// What a specification consists of, with the names that formulas and messages use.
#[derive(Clone, Debug)]
pub struct Names {
    /// Its active modules.
    pub modules: Vec<ModuleInfo>,
    /// Its queues.
    pub queues: Vec<QueueInfo>,
    /// Its variables.
    pub(crate) variables: Vec<VariableInfo>,
    /// Where modules are blocked for ever.
    pub(crate) blocked: Vec<Blocked>,
    /// That some transition waits for room only.
    pub(crate) full: Option<Expr>,
    /// Whether a transition has a `delay`, and whether one has a `priority`.
    pub delays: bool,
    /// See `delays`.
    pub priorities: bool,
}

/// An active module.
#[derive(Clone, Debug)]
pub struct ModuleInfo {
    /// Its name.
    pub name: String,
    /// The process that stands for it.
    pub process: ProcessId,
    /// Its states, and the locations in which it is there.
    pub states: Vec<(String, Vec<Loc>)>,
}

/// A queue.
#[derive(Clone, Debug)]
pub struct QueueInfo {
    /// Its name.
    pub name: String,
    /// Its messages, as states are printed, with the values that stand for them.
    pub messages: Vec<(String, i32)>,
    /// How many fields a message has, the one that says which it is included.
    pub fields: usize,
}

/// A variable of a module.
#[derive(Clone, Debug)]
pub(crate) struct VariableInfo {
    /// The module it belongs to; empty for the specification itself.
    pub module: String,
    /// Its name there, with the fields that lead to it.
    pub name: String,
    pub dims: Vec<Ordinal>,
    pub ordinal: Option<Ordinal>,
    /// Where it is; or what it is for ever.
    pub place: Result<usize, Vec<i32>>,
}

/// A state of a module in which it may be blocked.
#[derive(Clone, Debug)]
pub(crate) struct Blocked {
    pub module: usize,
    pub state: usize,
    pub condition: Expr,
    /// The queues that it waits for.
    pub queues: Vec<usize>,
}

/// Why something cannot be done.
pub(crate) struct Refusal {
    text: String,
    span: Span,
    help: Option<&'static str>,
}

impl Refusal {
    fn new(text: impl Into<String>, span: &Span) -> Self {
        Self { text: text.into(), span: span.clone(), help: None }
    }

    fn with_help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }
}

/// Transitions of one module, every value of `any` counted.
const MOST_STEPS: usize = 20_000;
/// Statements and expressions that are translated.
const MOST_WORK: u64 = 2_000_000;

/// Lowers a specification.
pub(crate) fn lower(
    source: &SourceText,
    checked: &Checked,
    tree: &Instances,
    options: Options,
) -> Result<Lowered, Vec<Message>> {
    let mut lowering = Lowering {
        source,
        checked,
        tree,
        options,
        symbols: Symbols::default(),
        channels: Vec::new(),
        globals: Vec::new(),
        storage: HashMap::new(),
        tags: HashMap::new(),
        queues: Vec::new(),
        temporaries: Vec::new(),
        processes: Vec::new(),
        variables: Vec::new(),
        modules: Vec::new(),
        blocked: Vec::new(),
        full: None,
        seen: (false, false),
        spent: 0,
    };
    let made = lowering.limits().and_then(|()| {
        lowering.all().map_err(|refusal| {
            let span =
                if refusal.span.end == 0 { checked.bodies[checked.root].span.clone() } else { refusal.span };
            let place = source.place(span.start, span.end);
            let mut message = Message::finding(codes::BEYOND_LIMIT, refusal.text, Some(place));
            message.help = refusal.help.map(str::to_owned);
            vec![message]
        })
    });
    made?;
    Ok(lowering.finish())
}

struct Lowering<'a> {
    source: &'a SourceText,
    checked: &'a Checked,
    tree: &'a Instances,
    options: Options,
    symbols: Symbols,
    channels: Vec<ChannelType>,
    globals: Vec<Variable>,
    /// By instance and variable.
    storage: HashMap<(usize, usize), Vec<(Piece, usize)>>,
    /// By where it arrives and message.
    tags: HashMap<(At, usize), i32>,
    queues: Vec<QueueInfo>,
    /// Instance, type, global, and whether it is in use.
    temporaries: Vec<(usize, Type, usize, bool)>,
    processes: Vec<ProcessType>,
    variables: Vec<VariableInfo>,
    modules: Vec<ModuleInfo>,
    blocked: Vec<Blocked>,
    full: Option<Expr>,
    /// Delays and priorities.
    seen: (bool, bool),
    /// See [`Self::spend`].
    spent: u64,
}

/// A transition of a module, with the values of `any`.
struct Step<'a> {
    def: &'a TransitionDef,
    known: HashMap<usize, Expr>,
    label: String,
    /// Where its message arrives.
    at: Option<At>,
    guard: Condition,
    /// With a capacity: that there is room for what it sends.
    room: Option<Expr>,
    /// Of a delayed one in ticks: its counter, the least and the most.
    delay: Option<Delay>,
}

#[derive(Clone, Copy)]
struct Delay {
    counter: usize,
    least: i32,
    most: Option<i32>,
}

impl Delay {
    /// Beyond this it counts no further.
    fn cap(self) -> i32 {
        self.most.unwrap_or(self.least)
    }
}

/// When a transition is enabled, beside its state.
#[derive(Clone, Default)]
struct Condition {
    /// That the head of the queue is the message.
    poll: Option<Expr>,
    rest: Vec<Expr>,
}

impl Condition {
    fn full(&self) -> Expr {
        all(self.poll.iter().chain(&self.rest).cloned())
    }
}

/// A process while it is made.
struct Maker {
    process: ProcessType,
}

impl Maker {
    fn new(name: String) -> Self {
        let process = ProcessType {
            name,
            parameters: 0,
            locals: Vec::new(),
            locations: Vec::new(),
            commands: Vec::new(),
            entry: Loc(0),
            provided: None,
            priority: 1,
        };
        Self { process }
    }

    fn location(&mut self, label: Option<&str>, end: bool) -> Loc {
        let labels = label.map(str::to_owned).into_iter().filter(|label| !label.is_empty()).collect();
        self.process.locations.push(Location { labels, end, ..Location::default() });
        Loc(self.process.locations.len() as u32 - 1)
    }

    fn command(&mut self, command: Command) -> CommandId {
        self.process.commands.push(command);
        CommandId(self.process.commands.len() as u32 - 1)
    }
}

/// What a transition does, as a command without target.
struct Action {
    guard: Guard,
    sync: Sync,
    effects: Vec<Effect>,
}

/// A module and what it can do.
struct Leaf<'a> {
    instance: usize,
    process: ProcessId,
    idle: Vec<Loc>,
    steps: Vec<Step<'a>>,
    /// By state, the steps that leave it.
    leaving: Vec<Vec<usize>>,
    /// By state and step, where it is when that is selected.
    selected: HashMap<(usize, usize), Loc>,
}

impl Leaf<'_> {
    fn target(&self, state: usize, step: usize) -> Loc {
        self.idle[self.steps[step].def.to.unwrap_or(state)]
    }

    fn at(&self, locations: Vec<Loc>) -> Expr {
        Expr::At { process: self.process, pid: None, locations }
    }
}

impl<'a> Lowering<'a> {
    fn body(&self, instance: usize) -> &'a BodyDef {
        &self.checked.bodies[self.tree.all[instance].body]
    }

    fn limits(&self) -> Result<(), Vec<Message>> {
        let active = self.active();
        let mut messages = Vec::new();
        let mut most = |count: usize, most: usize, what: &str| {
            if count > most {
                let text = format!("{}: it has {count} {what}, and {most} are the most", self.source.name());
                messages.push(Message::about_file(text).code(codes::BEYOND_LIMIT));
            }
        };
        most(active.len() + self.tree.systems.len(), 250, "active modules and systems");
        most(self.tree.queues().len(), 255, "queues");
        if active.is_empty() {
            let text = format!("{}: no module has a transition", self.source.name());
            messages.push(Message::about_file(text).code(codes::EMPTY_MODEL));
        }
        if messages.is_empty() { Ok(()) } else { Err(messages) }
    }

    fn active(&self) -> Vec<usize> {
        (0..self.tree.all.len()).filter(|&number| !self.body(number).transitions.is_empty()).collect()
    }

    /// Counts statements and expressions that are translated: loops that are unrolled within each other may be very many.
    fn spend(&mut self, span: &Span) -> code::Result<()> {
        self.spent += 1;
        if self.spent > MOST_WORK {
            let text = "the specification becomes too large where `all`, `exist` and calls are written out";
            return Err(Refusal::new(text, span));
        }
        Ok(())
    }

    // Queues.

    fn all_queues(&mut self) -> code::Result<()> {
        for (number, queue) in self.tree.queues().iter().enumerate() {
            let (mut members, mut slots): (Vec<(String, i32)>, Vec<Vec<Ty>>) = (Vec::new(), Vec::new());
            let mut widths = Vec::new();
            for &at in &queue.points {
                let (instance, point, element) = at;
                let def = &self.body(instance).points[point];
                let all = self.checked.channels[def.channel].messages.iter().enumerate();
                for (message, sent) in all.filter(|(_, message)| message.by[1 - def.role]) {
                    let tag = members.len() as i32 + 1;
                    let name = if queue.common {
                        format!("{}.{}", element_name(&def.name, &def.dims, element), sent.name)
                    } else {
                        sent.name.clone()
                    };
                    members.push((name, tag));
                    self.tags.insert((at, message), tag);
                    let types = message_scalars(sent);
                    widths.push(types.len());
                    for (slot, ty) in types.into_iter().enumerate() {
                        if slots.len() <= slot {
                            slots.push(Vec::new());
                        }
                        slots[slot].push(ty);
                    }
                }
            }
            if members.len() > 255 || slots.len() > 250 {
                let text = format!(
                    "the queue `{}` has more than 255 messages, or one of more than 250 values",
                    queue.name
                );
                return Err(Refusal::new(text, &(0..0)));
            }
            let set = self.symbols.add(format!("{} messages", queue.name), members.clone());
            let mut fields = vec![Type::Symbol(set)];
            for (slot, types) in slots.iter().enumerate() {
                let always = widths.iter().all(|&width| width > slot);
                fields.push(self.slot_type(types, always));
            }
            let width = fields.len();
            let capacity = self.options.capacity.map_or(Capacity::Unbounded, Capacity::Bounded);
            self.channels.push(ChannelType { capacity, fields, contents: Vec::new() });
            self.globals.push(Variable {
                name: queue.name.clone(),
                ty: Type::Channel,
                dims: Vec::new(),
                init: Init::Channel(ChannelId(number as u32)),
                hidden: false,
            });
            self.queues.push(QueueInfo { name: queue.name.clone(), messages: members, fields: width });
        }
        Ok(())
    }

    /// A type for a field that several messages use; those that have no such field have 0 there.
    fn slot_type(&mut self, types: &[Ty], always: bool) -> Type {
        let all: Vec<Type> = types.iter().map(|ty| self.symbols.ty(ty)).collect();
        let holds_zero = all[0].store(0) == Some(0);
        if all.iter().all(|ty| *ty == all[0]) && (always || holds_zero) {
            return all[0];
        }
        let (mut low, mut high) = (0, 0);
        for ty in types {
            let (from, to) = match ty {
                Ty::Ordinal(ordinal) => (ordinal.low, ordinal.high),
                Ty::Set(base) => {
                    (0, (1i64 << base.count().min(31)).saturating_sub(1).min(i64::from(i32::MAX)) as i32)
                }
                _ => (i32::MIN, i32::MAX),
            };
            low = low.min(from);
            high = high.max(to);
        }
        if low == i32::MIN && high == i32::MAX { Type::Signed(32) } else { Type::Range(low, high) }
    }

    fn queue_value(&self, queue: usize) -> Expr {
        load(queue, Vec::new())
    }

    /// The send of a message at an interaction point; nothing if it is lost.
    fn send(&self, from: At, message: usize, values: Vec<Expr>) -> Option<Sync> {
        let to = self.tree.peer(from)?;
        let queue = self.tree.queue(to)?;
        let tag = *self.tags.get(&(to, message))?;
        let mut fields = vec![constant(tag)];
        fields.extend(values);
        fields.resize(self.channels[queue].fields.len(), constant(0));
        Some(Sync::Send { channel: self.queue_value(queue), fields, sorted: false })
    }

    /// Which elements of an array these indices may name, and when.
    fn elements(&self, dims: &[Ordinal], indices: &[Expr]) -> Vec<(Expr, usize)> {
        let known: Option<Vec<i32>> = indices
            .iter()
            .map(|index| match index {
                Expr::Const(value) => Some(*value),
                _ => None,
            })
            .collect();
        if let Some(known) = known {
            return element(dims, &known).map(|element| (constant(1), element)).into_iter().collect();
        }
        let count = elements(dims);
        let mut ways = Vec::new();
        for number in 0..count {
            let (mut rest, mut parts) = (number, Vec::new());
            for (dim, index) in dims.iter().zip(indices).rev() {
                let size = dim.count() as usize;
                parts.push(binary(Binary::Eq, index.clone(), constant(dim.low + (rest % size) as i32)));
                rest /= size;
            }
            ways.push((all(parts), number));
        }
        ways
    }

    // Variables.

    fn module_variables(&mut self, instance: usize) {
        let body = self.body(instance);
        let name = self.tree.all[instance].name.clone();
        for (number, var) in body.vars.iter().enumerate() {
            if !matches!(var.kind, VarKind::Module | VarKind::Parameter) {
                continue;
            }
            let full = if name.is_empty() { var.name.clone() } else { format!("{name}.{}", var.name) };
            if var.changes {
                self.allocate(instance, number, &full, false);
            }
            for piece in pieces(&var.ty) {
                let known = self.storage.get(&(instance, number));
                let place = known.and_then(|all| all.iter().find(|(other, _)| other.fields == piece.fields));
                let place =
                    place.map(|(_, global)| *global).ok_or_else(|| self.initial(instance, number, &piece));
                self.variables.push(VariableInfo {
                    module: name.clone(),
                    name: format!("{}{}", var.name, piece.suffix),
                    dims: piece.dims.clone(),
                    ordinal: piece.ty.ordinal().cloned(),
                    place,
                });
            }
        }
    }

    fn initial(&self, instance: usize, var: usize, piece: &Piece) -> Vec<i32> {
        let mut values = Vec::new();
        let ty = &self.body(instance).vars[var].ty;
        storage::values(&self.tree.all[instance].values[var], &piece.fields, &mut values, ty);
        values
    }

    fn allocate(&mut self, instance: usize, var: usize, name: &str, hidden: bool) {
        let def = &self.body(instance).vars[var];
        let lasting = matches!(def.kind, VarKind::Module | VarKind::Parameter);
        let mut all = Vec::new();
        for piece in pieces(&def.ty) {
            let init = if lasting { self.initial(instance, var, &piece) } else { first(&piece) };
            let variable = self.symbols.variable(format!("{name}{}", piece.suffix), &piece, &init, hidden);
            self.globals.push(variable);
            all.push((piece, self.globals.len() - 1));
        }
        self.storage.insert((instance, var), all);
    }

    /// Where a scalar is.
    fn piece(&mut self, instance: usize, place: &Place, span: &Span) -> code::Result<(usize, Vec<Expr>)> {
        if !self.storage.contains_key(&(instance, place.var)) {
            // A variable that lives for one step, or an array that never changes: neither is part of the state.
            let name = &self.tree.all[instance].name;
            let name = format!("{name}'{}", self.body(instance).vars[place.var].name);
            self.allocate(instance, place.var, &name, true);
        }
        let found =
            self.storage[&(instance, place.var)].iter().find(|(piece, _)| piece.fields == place.fields);
        match found {
            Some((piece, global)) if piece.dims.len() == place.indices.len() => {
                Ok((*global, place.indices.clone()))
            }
            _ => Err(Refusal::new("a record or an array is used as a simple value", span)),
        }
    }

    /// The value of something that never changes.
    fn fixed(&self, instance: usize, place: &Place) -> Option<i32> {
        let var: &Var = &self.body(instance).vars[place.var];
        if var.changes || !matches!(var.kind, VarKind::Module | VarKind::Parameter) {
            return None;
        }
        let piece = pieces(&var.ty).into_iter().find(|piece| piece.fields == place.fields)?;
        let mut at = 0;
        for (dim, index) in piece.dims.iter().zip(&place.indices) {
            let Expr::Const(index) = index else { return None };
            let index = u64::try_from(*index).ok().filter(|&index| index < dim.count())?;
            at = at * dim.count() as usize + index as usize;
        }
        self.initial(instance, place.var, &piece).get(at).copied()
    }

    /// A variable for a value within one step.
    fn temporary(&mut self, instance: usize, ty: &Ty) -> usize {
        let wanted = self.symbols.ty(ty);
        let free =
            self.temporaries.iter_mut().find(|(of, ty, _, used)| *of == instance && *ty == wanted && !used);
        if let Some((_, _, global, used)) = free {
            *used = true;
            return *global;
        }
        let piece = Piece { fields: Vec::new(), suffix: String::new(), dims: Vec::new(), ty: ty.clone() };
        let name = format!("{}'{}", self.tree.all[instance].name, self.temporaries.len());
        let variable = self.symbols.variable(name, &piece, &first(&piece), true);
        self.globals.push(variable);
        self.temporaries.push((instance, wanted, self.globals.len() - 1, true));
        self.globals.len() - 1
    }

    // Transitions.

    /// The transitions of a module, with all values of `any`.
    fn steps(&mut self, instance: usize) -> code::Result<Vec<Step<'a>>> {
        let body = self.body(instance);
        let mut steps = Vec::new();
        for def in &body.transitions {
            self.seen.0 |= def.delay.is_some();
            self.seen.1 |= def.priority.is_some();
            let combinations = Code::new(self, instance, HashMap::new()).choices(&def.any);
            for known in combinations {
                if steps.len() >= MOST_STEPS {
                    return Err(Refusal::new(
                        format!("the module has more than {MOST_STEPS} transitions"),
                        &def.span,
                    ));
                }
                steps.extend(self.step(instance, def, known)?);
            }
        }
        Ok(steps)
    }

    fn step(
        &mut self,
        instance: usize,
        def: &'a TransitionDef,
        known: HashMap<usize, Expr>,
    ) -> code::Result<Option<Step<'a>>> {
        let body = self.body(instance);
        let (mut at, mut head) = (None, None);
        if let Some(when) = &def.when {
            let mut code = Code::new(self, instance, known.clone());
            let indices: Vec<Expr> =
                when.indices.iter().map(|index| code.value(index)).collect::<code::Result<_>>()?;
            let point = &body.points[when.point];
            if indices.iter().any(|index| !matches!(index, Expr::Const(_))) {
                return Err(Refusal::new(
                    "the index of an interaction point in `when` must be a constant",
                    &def.span,
                ));
            }
            let [(_, element)] = self.elements(&point.dims, &indices)[..] else { return Ok(None) };
            let here = (instance, when.point, element);
            head = Some(self.head(here, when.message, &when.parameters));
            at = Some(here);
        }
        let mut guard = Condition { poll: head.as_ref().map(|head| head.poll(&[])), rest: Vec::new() };
        if let Some(provided) = &def.provided {
            let mut code = Code::new(self, instance, known.clone());
            guard.rest = code.guard(provided, head.as_ref())?;
        }
        let mut delay = None;
        if let (Some((least, most)), Delays::Ticks) = (&def.delay, self.options.delays) {
            let mut bound = |value: &'a crate::tree::X| {
                let mut code = Code::new(self, instance, known.clone());
                match code.value(value)? {
                    Expr::Const(value) if (0..=10_000).contains(&value) => Ok(value),
                    _ => Err(Refusal::new("in ticks, a delay is a constant from 0 to 10,000", &value.span)),
                }
            };
            let least = bound(least)?;
            let most = most.as_ref().map(bound).transpose()?;
            if most.is_some_and(|most| most < least) {
                return Err(Refusal::new(
                    "this delay has no length: its second bound is less than its first",
                    &def.span,
                ));
            }
            let cap = most.unwrap_or(least);
            let piece = Piece {
                fields: Vec::new(),
                suffix: String::new(),
                dims: Vec::new(),
                ty: Ty::Ordinal(Ordinal::int(0, cap)),
            };
            let name = format!("{}'delay{}", self.tree.all[instance].name, self.globals.len());
            let variable = self.symbols.variable(name, &piece, &[0], false);
            self.globals.push(variable);
            delay = Some(Delay { counter: self.globals.len() - 1, least, most });
        }
        let label = self.label(instance, def, &known);
        let room = self.room(instance, def, at)?;
        Ok(Some(Step { def, known, label, at, guard, room, delay }))
    }

    /// That there is room for what a transition sends, if queues have a capacity.
    fn room(&self, instance: usize, def: &TransitionDef, at: Option<At>) -> code::Result<Option<Expr>> {
        let Some(capacity) = self.options.capacity else { return Ok(None) };
        let takes = at.and_then(|at| self.tree.queue(at));
        let sent = self.sent(instance, &def.body)?;
        let parts = sent.into_iter().map(|(queue, count)| {
            let left = i64::from(capacity) - count as i64 + i64::from(takes == Some(queue));
            let length = Expr::Channel(ChannelQuery::Len, Box::new(self.queue_value(queue)));
            binary(Binary::Le, length, constant(left.max(-1) as i32))
        });
        let parts: Vec<Expr> = parts.collect();
        Ok((!parts.is_empty()).then(|| all(parts)))
    }

    fn head(&self, at: At, message: usize, parameters: &[usize]) -> Head {
        let queue = self.tree.queue(at).expect("an interaction point that is waited for has a queue");
        let def = &self.body(at.0).points[at.1];
        let types = &self.checked.channels[def.channel].messages[message].parameters;
        let mut slots = Vec::new();
        let mut slot = 1;
        for ((_, _, ty), &var) in types.iter().zip(parameters) {
            for (fields, indices) in code::scalars(ty) {
                if indices.is_empty() {
                    slots.push((var, fields, slot));
                }
                slot += 1;
            }
        }
        // A message that is never sent here has a number of its own, which no message has.
        let tag = self.tags.get(&(at, message)).copied().unwrap_or(0);
        Head { queue: self.queue_value(queue), tag, fields: self.channels[queue].fields.len(), slots }
    }

    fn label(&self, instance: usize, def: &TransitionDef, known: &HashMap<usize, Expr>) -> String {
        let body = self.body(instance);
        let mut label = def.name.clone().unwrap_or_else(|| {
            let names: Vec<&str> = def.from.iter().map(|&state| body.states[state].as_str()).collect();
            let mut parts = Vec::new();
            if !names.is_empty() {
                parts.push(format!("from {}", names.join(", ")));
            }
            parts.extend(def.to.map(|state| format!("to {}", body.states[state])));
            if let Some(when) = &def.when {
                let point = &body.points[when.point];
                let message = &self.checked.channels[point.channel].messages[when.message].name;
                parts.push(format!("when {}.{message}", point.name));
            }
            if parts.is_empty() { "transition".to_owned() } else { parts.join(" ") }
        });
        let mut values: Vec<(usize, String)> = Vec::new();
        for (&var, value) in known {
            if let (Expr::Const(value), Some(ordinal)) = (value, body.vars[var].ty.ordinal()) {
                values.push((var, format!("{}={}", body.vars[var].name, ordinal.show(*value))));
            }
        }
        values.sort();
        if !values.is_empty() {
            let all: Vec<String> = values.into_iter().map(|(_, text)| text).collect();
            label.push_str(&format!(" [{}]", all.join(", ")));
        }
        label
    }

    fn place(&self, span: &Span) -> Option<elnath_program::ir::Place> {
        Some(elnath_program::ir::Place { file: 0, line: self.source.line_of(span.start) as u32, call: None })
    }

    fn text(&self, span: &Span) -> String {
        let text = &self.source.text()[span.clone()];
        let line = text.lines().next().unwrap_or_default();
        let short: String = line.chars().take(72).collect();
        short.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What a transition does: guard and effects, and inner locations of the process if it is more than one command.
    fn action(
        &mut self,
        leaf: &Leaf<'a>,
        number: usize,
        guard: Vec<Expr>,
        last: Vec<Effect>,
        maker: &mut Maker,
    ) -> code::Result<Action> {
        let step = &leaf.steps[number];
        for (_, _, _, used) in &mut self.temporaries {
            *used = false;
        }
        let receive = step.at.zip(step.def.when.as_ref()).map(|(at, when)| {
            let head = self.head(at, when.message, &when.parameters);
            (head, at, when)
        });
        let span = &step.def.span;
        let mut code = Code::new(self, leaf.instance, step.known.clone());
        code.begin(0, (!guard.is_empty()).then(|| all(guard)), span);
        if let Some((head, at, when)) = receive {
            let mut patterns = vec![Pattern::Match(constant(head.tag))];
            if !step.def.body.is_empty() {
                let channel = code.body.points[at.1].channel;
                let types = &code.to.checked.channels[channel].messages[when.message].parameters;
                for ((_, _, ty), &var) in types.iter().zip(&when.parameters) {
                    for (fields, indices) in code::scalars(ty) {
                        let place =
                            Place { var, fields, indices: indices.into_iter().map(constant).collect() };
                        let (variable, indices) = code.to.piece(leaf.instance, &place, span)?;
                        patterns.push(Pattern::Bind(global(variable, indices)));
                    }
                }
            }
            patterns.resize(head.fields, Pattern::Any);
            code.sync(Sync::Receive { channel: head.queue, patterns, random: false, copy: false }, span);
        }
        code.statements(&step.def.body)?;
        for effect in last {
            code.effect(effect);
        }
        let exit = code.point();
        code.end(exit);
        let mut points = std::mem::take(&mut code.points);
        if let [edge] = &points[0][..]
            && edge.target == exit
        {
            let edge = points.swap_remove(0).remove(0);
            let guard = edge.guard.map_or(Guard::Always, Guard::When);
            return Ok(Action { guard, sync: edge.sync, effects: edge.effects });
        }
        Ok(self.sequence(&points, exit, maker))
    }

    /// A graph of ways as a deterministic sequence.
    fn sequence(&self, points: &[Vec<code::Edge>], exit: usize, maker: &mut Maker) -> Action {
        // A way on which nothing happens is left out.
        let behind = |mut point: usize| {
            for _ in 0..points.len() {
                match &points[point][..] {
                    [only] if only.guard.is_none() && only.sync == Sync::None && only.effects.is_empty() => {
                        point = only.target;
                    }
                    _ => break,
                }
            }
            point
        };
        let mut locations: HashMap<usize, Loc> = HashMap::new();
        let mut todo = vec![0];
        locations.insert(0, maker.location(None, false));
        locations.insert(exit, maker.location(None, false));
        while let Some(point) = todo.pop() {
            let mut group = Vec::new();
            for edge in &points[point] {
                let target = behind(edge.target);
                let to = *locations.entry(target).or_insert_with(|| {
                    todo.push(target);
                    maker.location(None, false)
                });
                group.push(maker.command(Command {
                    guard: edge.guard.clone().map_or(Guard::Always, Guard::When),
                    sync: edge.sync.clone(),
                    effects: edge.effects.clone(),
                    target: to,
                    atomic: false,
                    text: self.text(&edge.text),
                    place: self.place(&edge.text),
                }));
            }
            maker.process.locations[locations[&point].index()].groups = vec![group];
        }
        Action {
            guard: Guard::Body { entry: locations[&0], exit: locations[&exit] },
            sync: Sync::None,
            effects: Vec::new(),
        }
    }

    // Systems.

    fn all(&mut self) -> code::Result<()> {
        self.all_queues()?;
        let active = self.active();
        let mut leaves: Vec<Leaf<'a>> = Vec::new();
        for &instance in &active {
            self.module_variables(instance);
            let steps = self.steps(instance)?;
            let body = self.body(instance);
            let leaving = (0..body.states.len())
                .map(|state| {
                    let from = |step: &Step<'_>| step.def.from.is_empty() || step.def.from.contains(&state);
                    (0..steps.len()).filter(|&number| from(&steps[number])).collect()
                })
                .collect();
            let process = ProcessId(leaves.len() as u32);
            leaves.push(Leaf {
                instance,
                process,
                idle: Vec::new(),
                steps,
                leaving,
                selected: HashMap::new(),
            });
        }
        let mut makers: Vec<Maker> = Vec::new();
        for leaf in &mut leaves {
            let instance = &self.tree.all[leaf.instance];
            let name =
                if instance.name.is_empty() { self.checked.name.clone() } else { instance.name.clone() };
            let mut maker = Maker::new(name);
            let states = &self.checked.bodies[instance.body].states;
            for (state, name) in states.iter().enumerate() {
                leaf.idle.push(maker.location(Some(name), leaf.leaving[state].is_empty()));
            }
            maker.process.entry = leaf.idle[instance.state];
            makers.push(maker);
        }
        let units: Vec<Vec<Vec<usize>>> =
            self.tree.systems.iter().map(|&system| self.units(system, &leaves)).collect();
        for (number, units) in units.iter().enumerate() {
            if units.len() < 2 {
                self.interleaved(&units.concat(), number, &mut leaves, &mut makers)?;
            } else {
                self.together(units, number, &mut leaves, &mut makers)?;
            }
        }
        self.clock(&leaves, &mut makers);
        self.find_blocked(&leaves);
        for (leaf, maker) in leaves.iter().zip(&makers) {
            let states = &self.body(leaf.instance).states;
            let states = states.iter().enumerate().map(|(state, name)| {
                let mut at = vec![leaf.idle[state]];
                at.extend(leaf.selected.iter().filter(|((from, _), _)| *from == state).map(|(_, at)| *at));
                at.sort_unstable();
                (name.clone(), at)
            });
            let states = states.collect();
            self.modules.push(ModuleInfo { name: maker.process.name.clone(), process: leaf.process, states });
        }
        for maker in &makers {
            if maker.process.locations.len() > 65_000 || maker.process.commands.len() > 1_000_000 {
                let text = format!("`{}` has too many transitions", maker.process.name);
                return Err(Refusal::new(text, &(0..0)));
            }
        }
        self.processes = makers.into_iter().map(|maker| maker.process).collect();
        Ok(())
    }

    /// The modules of a system that select together; each unit is a list of modules of which one selects.
    fn units(&self, system: usize, leaves: &[Leaf<'a>]) -> Vec<Vec<usize>> {
        let mut units = Vec::new();
        let mut todo = vec![system];
        while let Some(at) = todo.pop() {
            let instance = &self.tree.all[at];
            if let Some(leaf) = leaves.iter().position(|leaf| leaf.instance == at) {
                units.push(vec![leaf]);
            } else if instance.class.is_some_and(Class::alternates) {
                let mut below = Vec::new();
                self.leaves_below(at, leaves, &mut below);
                if !below.is_empty() {
                    units.push(below);
                }
            } else {
                todo.extend(instance.children.iter().rev());
            }
        }
        units
    }

    fn leaves_below(&self, at: usize, leaves: &[Leaf<'a>], out: &mut Vec<usize>) {
        out.extend(leaves.iter().position(|leaf| leaf.instance == at));
        for &child in &self.tree.all[at].children {
            self.leaves_below(child, leaves, out);
        }
    }

    /// What keeps a transition from firing in a state: enabled ones of a better priority.
    fn better(&self, leaf: &Leaf<'a>, state: usize, number: usize) -> Vec<Expr> {
        let untimed = self.options.delays == Delays::Untimed;
        let rank = |number: usize| leaf.steps[number].def.priority.unwrap_or(i32::MAX);
        let others = leaf.leaving[state].iter().copied().filter(|&other| rank(other) < rank(number));
        let counts = others.filter(|&other| !untimed || leaf.steps[other].def.delay.is_none());
        counts.map(|other| not(self.enabled(leaf, other))).collect()
    }

    /// Whether a transition is enabled, and in ticks has waited long enough, beside its state.
    fn enabled(&self, leaf: &Leaf<'a>, number: usize) -> Expr {
        let step = &leaf.steps[number];
        all([step.guard.full()].into_iter().chain(self.ripe(step)).chain(step.room.clone()))
    }

    fn ripe(&self, step: &Step<'a>) -> Option<Expr> {
        let delay = step.delay?;
        Some(binary(Binary::Ge, load(delay.counter, Vec::new()), constant(delay.least)))
    }

    /// The steps of a state by priority, if groups of commands can say it: an untimed delayed transition keeps no other from firing, so that
    /// it must not stand before one that is worse.
    fn ranks(&self, leaf: &Leaf<'a>, state: usize) -> Option<Vec<Vec<usize>>> {
        let mut leaving = leaf.leaving[state].clone();
        let rank = |number: &usize| leaf.steps[*number].def.priority.unwrap_or(i32::MAX);
        leaving.sort_by_key(rank);
        let groups: Vec<Vec<usize>> =
            leaving.chunk_by(|a, b| rank(a) == rank(b)).map(<[usize]>::to_vec).collect();
        let delayed = |group: &Vec<usize>| {
            self.options.delays == Delays::Untimed
                && group.iter().any(|&number| leaf.steps[number].def.delay.is_some())
        };
        let before_last = groups.len().saturating_sub(1);
        (!groups[..before_last].iter().any(delayed)).then_some(groups)
    }

    /// Effects at the end of a transition: which delayed transitions begin to wait anew.
    fn restarts(&self, leaf: &Leaf<'a>, number: usize, target: usize) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (other, step) in leaf.steps.iter().enumerate() {
            let Some(delay) = step.delay else { continue };
            let counter = global(delay.counter, Vec::new());
            let stays = leaf.leaving[target].contains(&other) && other != number;
            let value = if stays {
                choose(step.guard.full(), load(delay.counter, Vec::new()), constant(0))
            } else {
                constant(0)
            };
            if value != load(delay.counter, Vec::new()) {
                effects.push(Effect::Assign(counter, value));
            }
        }
        effects
    }

    /// Modules that take turns: each transition is a step of its module.
    fn interleaved(
        &mut self,
        modules: &[usize],
        system: usize,
        leaves: &mut [Leaf<'a>],
        makers: &mut [Maker],
    ) -> code::Result<()> {
        let select = self.options.stepping == Stepping::Select;
        // Of several modules only one is selected at a time.
        let busy = (select && modules.len() > 1).then(|| {
            let variable = Variable {
                name: format!("'busy{system}"),
                ty: Type::Bool,
                dims: Vec::new(),
                init: Init::Zero,
                hidden: false,
            };
            self.globals.push(variable);
            self.globals.len() - 1
        });
        for &module in modules {
            let maker = &mut makers[module];
            // Bodies that do not depend on the state are made once.
            let mut shared: HashMap<usize, (Guard, Sync, Vec<Effect>)> = HashMap::new();
            for state in 0..leaves[module].idle.len() {
                let ranks = self.ranks(&leaves[module], state);
                let explicit = ranks.is_none();
                let groups = ranks.unwrap_or_else(|| vec![leaves[module].leaving[state].clone()]);
                let mut all_groups = Vec::new();
                for group in groups {
                    let mut commands = Vec::new();
                    for number in group {
                        let leaf = &leaves[module];
                        let mut guard = leaf.steps[number].guard.rest.clone();
                        guard.extend(self.ripe(&leaf.steps[number]));
                        guard.extend(leaf.steps[number].room.clone());
                        if explicit {
                            guard.extend(self.better(leaf, state, number));
                        }
                        let to = leaf.steps[number].def.to.unwrap_or(state);
                        let label = leaf.steps[number].label.clone();
                        let place = self.place(&leaf.steps[number].def.span);
                        if select {
                            let selected = maker.location(None, false);
                            guard.extend(leaf.steps[number].guard.poll.clone());
                            guard.extend(busy.map(|busy| not(load(busy, Vec::new()))));
                            let set = |value| {
                                busy.map(|busy| Effect::Assign(global(busy, Vec::new()), constant(value)))
                            };
                            commands.push(maker.command(Command {
                                guard: Guard::When(all(guard)),
                                sync: Sync::None,
                                effects: set(1).into_iter().collect(),
                                target: selected,
                                atomic: false,
                                text: format!("select {label}"),
                                place,
                            }));
                            let mut last = self.restarts(leaf, number, to);
                            last.extend(set(0));
                            self.execution(leaf, (number, selected), last, leaf.idle[to], maker)?;
                            leaves[module].selected.insert((state, number), selected);
                            continue;
                        }
                        let restarts = self.restarts(leaf, number, to);
                        let shareable = !explicit && leaf.steps.iter().all(|step| step.delay.is_none());
                        let known = shared.get(&number).filter(|_| shareable).cloned();
                        let (guard, sync, effects) = match known {
                            Some(known) => known,
                            None => {
                                let Action { guard, sync, effects } =
                                    self.action(leaf, number, guard, restarts, maker)?;
                                shared.insert(number, (guard.clone(), sync.clone(), effects.clone()));
                                (guard, sync, effects)
                            }
                        };
                        let target = leaf.idle[to];
                        let command =
                            Command { guard, sync, effects, target, atomic: false, text: label, place };
                        commands.push(maker.command(command));
                    }
                    all_groups.push(commands);
                }
                let at = leaves[module].idle[state];
                maker.process.locations[at.index()].groups = all_groups;
            }
        }
        Ok(())
    }

    /// The command that executes what was selected.
    fn execution(
        &mut self,
        leaf: &Leaf<'a>,
        (number, selected): (usize, Loc),
        last: Vec<Effect>,
        target: Loc,
        maker: &mut Maker,
    ) -> code::Result<()> {
        let room = leaf.steps[number].room.iter().cloned().collect();
        let Action { guard, sync, effects } = self.action(leaf, number, room, last, maker)?;
        let text = leaf.steps[number].label.clone();
        let place = self.place(&leaf.steps[number].def.span);
        let id = maker.command(Command { guard, sync, effects, target, atomic: false, text, place });
        maker.process.locations[selected.index()].groups = vec![vec![id]];
        Ok(())
    }

    /// Modules that move together, with a scheduler.
    fn together(
        &mut self,
        units: &[Vec<usize>],
        system: usize,
        leaves: &mut [Leaf<'a>],
        makers: &mut Vec<Maker>,
    ) -> code::Result<()> {
        let select = self.options.stepping == Stepping::Select;
        let instance = self.tree.systems[system];
        if self.options.capacity.is_some() && self.order_matters(units, leaves) {
            let text = "with --capacity, modules that move together must not send to one queue";
            return Err(Refusal::new(text, &self.body(instance).span));
        }
        let name = &self.tree.all[instance].name;
        let name = if name.is_empty() { self.checked.name.clone() } else { name.clone() };
        let modules: Vec<usize> = units.concat();
        for &module in &modules {
            for state in 0..leaves[module].idle.len() {
                for number in leaves[module].leaving[state].clone() {
                    let selected = makers[module].location(None, false);
                    leaves[module].selected.insert((state, number), selected);
                    if select {
                        let leaf = &leaves[module];
                        let to = leaf.steps[number].def.to.unwrap_or(state);
                        let last = self.restarts(leaf, number, to);
                        self.execution(leaf, (number, selected), last, leaf.idle[to], &mut makers[module])?;
                    }
                }
            }
        }
        let mut maker = Maker::new(format!("{name}'s scheduler"));
        let rest = maker.location(None, true);
        let chain: Vec<Loc> = units.iter().map(|_| maker.location(None, false)).collect();
        // Begins if nothing is selected and something is enabled.
        let mut enabled = Vec::new();
        for &module in &modules {
            let leaf = &leaves[module];
            for (state, leaving) in leaf.leaving.iter().enumerate() {
                let some = any(leaving.iter().map(|&number| self.enabled(leaf, number)));
                enabled.push(all([leaf.at(vec![leaf.idle[state]]), some]));
            }
        }
        let mut guard = vec![any(enabled)];
        if select {
            guard.extend(modules.iter().map(|&module| leaves[module].at(leaves[module].idle.clone())));
        }
        let place = self.place(&self.body(instance).span);
        let plain = |guard: Guard, effects: Vec<Effect>, target: Loc, atomic: bool, text: String| Command {
            guard,
            sync: Sync::None,
            effects,
            target,
            atomic,
            text,
            place,
        };
        let begin =
            maker.command(plain(Guard::When(all(guard)), Vec::new(), chain[0], true, "select".to_owned()));
        maker.process.locations[rest.index()].groups = vec![vec![begin]];
        let ordered = select || self.order_matters(units, leaves);
        let executions: Vec<Loc> = if select {
            Vec::new()
        } else {
            let count = if ordered { 1 } else { units.len() };
            (0..count).map(|_| maker.location(None, false)).collect()
        };
        for (unit, modules) in units.iter().enumerate() {
            let last = unit + 1 == units.len();
            let next = if last { executions.first().copied().unwrap_or(rest) } else { chain[unit + 1] };
            let atomic = !(last && select);
            let mut group = Vec::new();
            for &module in modules {
                let leaf = &leaves[module];
                for (state, leaving) in leaf.leaving.iter().enumerate() {
                    for &number in leaving {
                        let mut guard = vec![leaf.at(vec![leaf.idle[state]]), self.enabled(leaf, number)];
                        guard.extend(self.better(leaf, state, number));
                        let at = leaf.selected[&(state, number)];
                        let effect = Effect::Place { process: leaf.process, at, arguments: Vec::new() };
                        let text =
                            format!("select {}: {}", makers[module].process.name, leaf.steps[number].label);
                        group.push(maker.command(plain(
                            Guard::When(all(guard)),
                            vec![effect],
                            next,
                            atomic,
                            text,
                        )));
                    }
                }
            }
            group.push(maker.command(plain(
                Guard::Else,
                Vec::new(),
                next,
                atomic,
                "select nothing".to_owned(),
            )));
            maker.process.locations[chain[unit].index()].groups = vec![group];
        }
        for (index, &at) in executions.iter().enumerate() {
            let done = index + 1 == executions.len() && !ordered;
            let next = if ordered {
                at
            } else if done {
                rest
            } else {
                executions[index + 1]
            };
            let mut group = Vec::new();
            let here: &[usize] = if ordered { &modules } else { &units[index] };
            for &module in here {
                let leaf = &leaves[module];
                for (state, leaving) in leaf.leaving.iter().enumerate() {
                    for &number in leaving {
                        let is_selected = leaf.at(vec![leaf.selected[&(state, number)]]);
                        let to = leaf.steps[number].def.to.unwrap_or(state);
                        let mut effects = self.restarts(leaf, number, to);
                        let target = leaf.target(state, number);
                        effects.push(Effect::Place {
                            process: leaf.process,
                            at: target,
                            arguments: Vec::new(),
                        });
                        let Action { guard, sync, effects } =
                            self.action(leaf, number, vec![is_selected], effects, &mut maker)?;
                        let text = format!("{}: {}", makers[module].process.name, leaf.steps[number].label);
                        let place = self.place(&leaf.steps[number].def.span);
                        let command =
                            Command { guard, sync, effects, target: next, atomic: !done, text, place };
                        group.push(maker.command(command));
                    }
                }
            }
            let (target, atomic) = if ordered { (rest, false) } else { (next, !done) };
            group.push(maker.command(plain(Guard::Else, Vec::new(), target, atomic, "done".to_owned())));
            maker.process.locations[at.index()].groups = vec![group];
        }
        maker.process.entry = rest;
        makers.push(maker);
        Ok(())
    }

    /// Whether two units can send to one queue.
    fn order_matters(&self, units: &[Vec<usize>], leaves: &[Leaf<'a>]) -> bool {
        let mut senders: HashMap<usize, usize> = HashMap::new();
        for (unit, modules) in units.iter().enumerate() {
            for &module in modules {
                let instance = leaves[module].instance;
                for (point, def) in self.body(instance).points.iter().enumerate() {
                    for element in 0..elements(&def.dims) {
                        let to = self.tree.peer((instance, point, element));
                        let Some(queue) = to.and_then(|to| self.tree.queue(to)) else { continue };
                        if *senders.entry(queue).or_insert(unit) != unit {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// The process that lets time pass.
    fn clock(&mut self, leaves: &[Leaf<'a>], makers: &mut Vec<Maker>) {
        let delayed: Vec<(usize, usize, Delay)> = leaves
            .iter()
            .enumerate()
            .flat_map(|(number, leaf)| {
                leaf.steps.iter().enumerate().filter_map(move |(step, of)| Some((number, step, of.delay?)))
            })
            .collect();
        if delayed.is_empty() {
            return;
        }
        let mut guard = Vec::new();
        for leaf in leaves {
            for (state, leaving) in leaf.leaving.iter().enumerate() {
                let now = leaving.iter().filter(|&&number| leaf.steps[number].delay.is_none());
                let some = any(now.map(|&number| leaf.steps[number].guard.full()));
                guard.push(not(all([leaf.at(vec![leaf.idle[state]]), some])));
            }
            if !leaf.selected.is_empty() {
                guard.push(leaf.at(leaf.idle.clone()));
            }
        }
        let (mut advance, mut effects) = (Vec::new(), Vec::new());
        for (leaf, number, delay) in delayed {
            let leaf = &leaves[leaf];
            let from = (0..leaf.idle.len()).filter(|&state| leaf.leaving[state].contains(&number));
            let there = leaf.at(from.map(|state| leaf.idle[state]).collect());
            let waits = all([there, leaf.steps[number].guard.full()]);
            let counter = load(delay.counter, Vec::new());
            let below = binary(Binary::Lt, counter.clone(), constant(delay.cap()));
            if delay.most.is_some() {
                guard.push(not(all([waits.clone(), not(below.clone())])));
            }
            advance.push(all([waits.clone(), below.clone()]));
            let next = choose(below, binary(Binary::Add, counter.clone(), constant(1)), counter);
            let value = choose(waits, next, constant(0));
            effects.push(Effect::Assign(global(delay.counter, Vec::new()), value));
        }
        guard.push(any(advance));
        let mut maker = Maker::new("clock".to_owned());
        let at = maker.location(None, true);
        let tick = maker.command(Command {
            guard: Guard::When(all(guard)),
            sync: Sync::None,
            effects,
            target: at,
            atomic: false,
            text: "tick".to_owned(),
            place: None,
        });
        maker.process.locations[at.index()].groups = vec![vec![tick]];
        maker.process.entry = at;
        makers.push(maker);
    }

    /// Where a module is blocked for ever: something is in every queue that it waits for, and nothing is enabled.
    fn find_blocked(&mut self, leaves: &[Leaf<'a>]) {
        for (module, leaf) in leaves.iter().enumerate() {
            for (state, leaving) in leaf.leaving.iter().enumerate() {
                let mut queues: Vec<usize> =
                    leaving.iter().filter_map(|&number| self.tree.queue(leaf.steps[number].at?)).collect();
                queues.sort_unstable();
                queues.dedup();
                if queues.is_empty() {
                    continue;
                }
                let mut parts = vec![leaf.at(vec![leaf.idle[state]])];
                parts.extend(
                    queues.iter().map(|&queue| {
                        Expr::Channel(ChannelQuery::NotEmpty, Box::new(self.queue_value(queue)))
                    }),
                );
                parts.extend(leaving.iter().map(|&number| not(leaf.steps[number].guard.full())));
                self.blocked.push(Blocked { module, state, condition: all(parts), queues });
            }
        }
        let mut full = Vec::new();
        for leaf in leaves {
            for (state, leaving) in leaf.leaving.iter().enumerate() {
                for &number in leaving {
                    let step = &leaf.steps[number];
                    let Some(room) = &step.room else { continue };
                    full.push(all([leaf.at(vec![leaf.idle[state]]), step.guard.full(), not(room.clone())]));
                    let selected = leaf.selected.get(&(state, number));
                    full.extend(selected.map(|&at| all([leaf.at(vec![at]), not(room.clone())])));
                }
            }
        }
        self.full = self.options.capacity.map(|_| any(full));
    }

    fn finish(self) -> Lowered {
        let initial = (0..self.processes.len() as u32).map(ProcessId).collect();
        let program = Program {
            name: self.checked.name.clone(),
            files: vec![self.source.name().to_owned()],
            calls: Vec::new(),
            symbols: self.symbols.sets,
            globals: self.globals,
            channels: self.channels,
            gates: Vec::new(),
            vectors: Vec::new(),
            processes: self.processes,
            initial,
            propositions: Vec::new(),
            tracks_last: false,
            has_priorities: false,
        };
        let names = Names {
            modules: self.modules,
            queues: self.queues,
            variables: self.variables,
            blocked: self.blocked,
            full: self.full,
            delays: self.seen.0,
            priorities: self.seen.1,
        };
        Lowered { program, names }
    }
}

/// The types of the scalars that a message is made of.
fn message_scalars(message: &MessageDef) -> Vec<Ty> {
    let mut all = Vec::new();
    for (_, _, ty) in &message.parameters {
        for (fields, _) in code::scalars(ty) {
            let piece = pieces(ty).into_iter().find(|piece| piece.fields == fields);
            all.push(piece.map_or(Ty::Bad, |piece| piece.ty));
        }
    }
    all
}

/// What a piece holds that nothing was stored to.
fn first(piece: &Piece) -> Vec<i32> {
    let count = piece.dims.iter().map(|dim| dim.count() as usize).product();
    vec![piece.ty.ordinal().map_or(0, Ordinal::first); count]
}
