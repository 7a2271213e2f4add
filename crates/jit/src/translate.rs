//! One function at a time: the code of a location, of its part as the receiver at a rendez-vous, and of the initial
//! values of a new process.
//!
//! The code of a location tries the commands that leave it, in the interpreter's order. For each that is executable it
//! makes a copy of the state and changes it in place; what it reads to decide is the original. Atomic commands hand their
//! copy to [`crate::runtime::chain`], which goes on with the code of the next location; a deterministic sequence is
//! emitted inline, as blocks of the same function.

use crate::expression::PACKED;
use crate::facts::Facts;
use crate::runtime::{Context, MOST_VALUES, bail};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder as _, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use elnath_program::interpreter::{COMMAND_BITS, OUTCOME_BITS, PID_BITS};
use elnath_program::ir::{
    Command, CommandId, Effect, Guard, Init, Loc, ProcessId, ProcessType, Program, Sync,
};
use elnath_program::layout::{LOCATION, Layout, Width};
use std::mem::offset_of;

/// The functions that machine code calls.
#[derive(Clone, Copy)]
pub(crate) struct Helpers {
    pub(crate) copy: FuncRef,
    pub(crate) successor: FuncRef,
    pub(crate) commit: FuncRef,
    pub(crate) chain: FuncRef,
    pub(crate) rendezvous: FuncRef,
    pub(crate) create: FuncRef,
    pub(crate) sorted_position: FuncRef,
    pub(crate) shift: FuncRef,
    pub(crate) first_of: FuncRef,
    pub(crate) meet: FuncRef,
}

pub(crate) struct Translator<'a, 'b> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    pub(crate) facts: &'a Facts,
    pub(crate) builder: FunctionBuilder<'b>,
    pub(crate) helpers: Helpers,
    pub(crate) cx: Value,
    /// Where to go when only the interpreter knows how to go on.
    pub(crate) bail: Block,
    /// Where to go when there is nothing more to do; returns `moves`.
    pub(crate) end: Block,
    /// How many moves were made.
    pub(crate) moves: Variable,
}

/// A state, and the process that looks at it.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) process: ProcessId,
    /// The address of the state.
    pub(crate) state: Value,
    /// The address of the process in it.
    pub(crate) frame: Value,
    pub(crate) pid: Value,
}

/// What a function of a location is given.
#[derive(Clone, Copy)]
pub(crate) struct Parameters {
    pub(crate) scene: Scene,
    pub(crate) len: Value,
    pub(crate) base: Value,
}

/// A successor that is being made.
#[derive(Clone, Copy)]
pub(crate) struct Making {
    pub(crate) scene: Scene,
    /// The length of its state, which changes when processes are created.
    pub(crate) len: Variable,
    /// How many processes and channels there were before, if that may change.
    pub(crate) counts: Option<[Value; 2]>,
    /// Whether it is noted as a successor already.
    pub(crate) noted: bool,
}

/// The context's numbers of processes and channels.
const COUNTS: [usize; 2] = [offset_of!(Context, process_count), offset_of!(Context, channel_count)];

impl<'a, 'b> Translator<'a, 'b> {
    /// Begins a function of a location of `process`.
    pub(crate) fn location_function(
        program: &'a Program,
        layout: &'a Layout,
        facts: &'a Facts,
        mut builder: FunctionBuilder<'b>,
        helpers: Helpers,
        process: ProcessId,
    ) -> (Self, Parameters) {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let [cx, state, len, base, pid] = *builder.block_params(entry) else {
            unreachable!("five parameters")
        };
        let (bail, end) = (builder.create_block(), builder.create_block());
        builder.set_cold_block(bail);
        let moves = builder.declare_var(types::I64);
        let zero = builder.ins().iconst(types::I64, 0);
        builder.def_var(moves, zero);
        let frame = builder.ins().iadd(state, base);
        let this = Self { program, layout, facts, builder, helpers, cx, bail, end, moves };
        (this, Parameters { scene: Scene { process, state, frame, pid }, len, base })
    }

    /// Tells which propositions of the program hold, as bits where a location counts its moves.
    pub(crate) fn propositions(&mut self, given: Parameters) {
        for (bit, (_, expr)) in self.program.propositions.iter().enumerate() {
            let holds = self.truth(given.scene, expr);
            let holds = self.builder.ins().uextend(types::I64, holds);
            let holds = self.builder.ins().ishl_imm(holds, bit as i64);
            let before = self.builder.use_var(self.moves);
            let all = self.builder.ins().bor(before, holds);
            self.builder.def_var(self.moves, all);
        }
    }

    /// Ends a function of a location.
    pub(crate) fn finish(mut self) {
        self.builder.ins().jump(self.end, &[]);
        self.builder.switch_to_block(self.bail);
        let why = self.int(bail::INTERPRET as i32);
        self.builder.ins().store(PACKED, why, self.cx, offset_of!(Context, bail) as i32);
        self.builder.ins().jump(self.end, &[]);
        self.builder.switch_to_block(self.end);
        let moves = self.builder.use_var(self.moves);
        self.builder.ins().return_(&[moves]);
        self.builder.seal_all_blocks();
        self.builder.finalize();
    }

    /// The function that gives the locals of a new process their initial values, in order.
    pub(crate) fn init_function(
        program: &'a Program,
        layout: &'a Layout,
        facts: &'a Facts,
        mut builder: FunctionBuilder<'b>,
        helpers: Helpers,
        process: ProcessId,
    ) {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let [cx, state, base, pid] = *builder.block_params(entry) else { unreachable!("four parameters") };
        let (bail, end) = (builder.create_block(), builder.create_block());
        let moves = builder.declare_var(types::I64);
        let frame = builder.ins().iadd(state, base);
        let mut this = Self { program, layout, facts, builder, helpers, cx, bail, end, moves };
        let scene = Scene { process, state, frame, pid };
        let kind = &program.processes[process.index()];
        for (index, variable) in kind.locals.iter().enumerate().skip(kind.parameters as usize) {
            let slot = &layout.frames[process.index()].slots[index];
            for element in 0..variable.len() as usize {
                let expr = match &variable.init {
                    Init::Value(expr) => expr,
                    Init::List(values) => match values.get(element) {
                        Some(expr) => expr,
                        None => break,
                    },
                    Init::Zero | Init::Channel(_) => break,
                };
                let value = this.value(scene, expr);
                let value = this.truncate(slot.ty, value);
                this.store(slot.width, value, frame, slot.offset + element * slot.width.size());
            }
        }
        this.builder.ins().jump(end, &[]);
        this.builder.switch_to_block(bail);
        let why = this.int(bail::INTERPRET as i32);
        this.builder.ins().store(PACKED, why, cx, offset_of!(Context, bail) as i32);
        this.builder.ins().jump(end, &[]);
        this.builder.switch_to_block(end);
        this.builder.ins().return_(&[]);
        this.builder.seal_all_blocks();
        this.builder.finalize();
    }

    pub(crate) fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    /// Gives the state to the interpreter if the condition holds.
    pub(crate) fn bail_if(&mut self, condition: Value) {
        let next = self.block();
        self.builder.ins().brif(condition, self.bail, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Gives the state to the interpreter. What is emitted after it is never executed.
    pub(crate) fn leave_to_interpreter(&mut self) {
        self.builder.ins().jump(self.bail, &[]);
        let dead = self.block();
        self.builder.switch_to_block(dead);
    }

    pub(crate) fn call(&mut self, function: FuncRef, arguments: &[Value]) -> Value {
        let call = self.builder.ins().call(function, arguments);
        self.builder.inst_results(call)[0]
    }

    pub(crate) fn call_for_effect(&mut self, function: FuncRef, arguments: &[Value]) {
        self.builder.ins().call(function, arguments);
    }

    pub(crate) fn layout_count(&self) -> usize {
        self.facts.count_at
    }

    pub(crate) fn kind(&self, process: ProcessId) -> &'a ProcessType {
        &self.program.processes[process.index()]
    }

    pub(crate) fn count_moves(&mut self, more: Value) {
        let moves = self.builder.use_var(self.moves);
        let moves = self.builder.ins().iadd(moves, more);
        self.builder.def_var(self.moves, moves);
    }

    /// A process moves only while its condition is true.
    pub(crate) fn provided(&mut self, scene: Scene) {
        if let Some(provided) = &self.kind(scene.process).provided {
            let yes = self.block();
            self.branch(scene, provided, yes, self.end);
            self.builder.switch_to_block(yes);
        }
    }

    /// All that can be done at a location.
    pub(crate) fn location(&mut self, given: Parameters, at: Loc) {
        self.provided(given.scene);
        let kind = self.kind(given.scene.process);
        let groups = &kind.locations[at.index()].groups;
        for (index, group) in groups.iter().enumerate() {
            let before = self.builder.use_var(self.moves);
            for &id in group {
                if kind.commands[id.index()].guard != Guard::Else {
                    self.command(given, id);
                    continue;
                }
                // Only what comes before an `else` keeps it from being executed.
                let (alone, next) = (self.block(), self.block());
                let so_far = self.builder.use_var(self.moves);
                let none = self.builder.ins().icmp(IntCC::Equal, before, so_far);
                self.builder.ins().brif(none, alone, &[], next, &[]);
                self.builder.switch_to_block(alone);
                self.command(given, id);
                self.builder.ins().jump(next, &[]);
                self.builder.switch_to_block(next);
            }
            if index + 1 < groups.len() {
                self.end_if_moved(before);
            }
        }
    }

    /// A later group counts only if nothing was executable in the ones before it.
    pub(crate) fn end_if_moved(&mut self, before: Value) {
        let next = self.block();
        let after = self.builder.use_var(self.moves);
        let none = self.builder.ins().icmp(IntCC::Equal, before, after);
        self.builder.ins().brif(none, next, &[], self.end, &[]);
        self.builder.switch_to_block(next);
    }

    /// One command: makes its successors if it is executable.
    pub(crate) fn command(&mut self, given: Parameters, id: CommandId) {
        let command = &self.kind(given.scene.process).commands[id.index()];
        let (yes, next) = (self.block(), self.block());
        self.guard(given.scene, command, yes, next);
        self.builder.switch_to_block(yes);
        match &command.sync {
            Sync::Gate { .. } => self.meets(given, id),
            Sync::None if command.guard == Guard::Exit => self.exit(given, id),
            Sync::None => self.make(given, id, |_, _| ()),
            Sync::Send { channel, fields, sorted } => {
                let done = self.block();
                self.for_each_kind(given.scene, channel, done, |this, channel| {
                    if this.capacity(channel.kind) == 0 {
                        this.send_at_rendezvous(given, id, channel, fields);
                        return;
                    }
                    let (room, full) = (this.block(), this.block());
                    this.has_room(given.scene.state, channel, room, full);
                    this.builder.switch_to_block(room);
                    this.make(given, id, |this, making| this.put(making.scene, channel, fields, *sorted));
                    this.builder.ins().jump(full, &[]);
                    this.builder.switch_to_block(full);
                });
            }
            Sync::Receive { channel, patterns, random, copy } => {
                let done = self.block();
                self.for_each_kind(given.scene, channel, done, |this, channel| {
                    if this.is_meeting(channel, patterns) {
                        return;
                    }
                    let none = this.block();
                    let index = this.matching(given.scene, channel, patterns, *random, none);
                    this.make(given, id, |this, making| {
                        this.take(making.scene, channel, patterns, *copy, index);
                    });
                    this.builder.ins().jump(none, &[]);
                    this.builder.switch_to_block(none);
                });
            }
        }
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Goes to `yes` if the guard alone allows the command, else to `no`.
    pub(crate) fn guard(&mut self, scene: Scene, command: &Command, yes: Block, no: Block) {
        match &command.guard {
            Guard::Always | Guard::Else => {
                self.builder.ins().jump(yes, &[]);
            }
            Guard::When(expr) => self.branch(scene, expr, yes, no),
            Guard::Exit => {
                let at = self.layout_count();
                let count = self.load(Width::Byte, scene.state, at);
                let pid = self.builder.ins().ireduce(types::I32, scene.pid);
                let next = self.builder.ins().iadd_imm(pid, 1);
                let youngest = self.builder.ins().icmp(IntCC::Equal, next, count);
                self.builder.ins().brif(youngest, yes, &[], no, &[]);
            }
            Guard::Body { entry, .. } => self.some_executable(scene, *entry, yes, no),
        }
    }

    /// The transition of a command, without the number of the outcome.
    pub(crate) fn tag(&mut self, pid: Value, id: CommandId) -> Value {
        let who = self.builder.ins().ishl_imm(pid, i64::from(OUTCOME_BITS + COMMAND_BITS));
        let command = i64::from(id.0) << OUTCOME_BITS;
        let tag = self.builder.ins().bor_imm(who, command);
        if !self.facts.uses_timeout {
            return tag;
        }
        let timeout = offset_of!(Context, timeout) as i32;
        let timeout = self.builder.ins().uload32(PACKED, self.cx, timeout);
        let timeout = self.builder.ins().ishl_imm(timeout, i64::from(OUTCOME_BITS + COMMAND_BITS + PID_BITS));
        self.builder.ins().bor(tag, timeout)
    }

    /// Notes that a command was executed.
    pub(crate) fn mark(&mut self, number: u32) {
        let table =
            self.builder.ins().load(types::I64, PACKED, self.cx, offset_of!(Context, executed) as i32);
        let one = self.int(1);
        self.builder.ins().istore8(PACKED, one, table, number as i32);
    }

    pub(crate) fn number(&self, process: ProcessId, id: CommandId) -> u32 {
        self.facts.first_command[process.index()] + id.0
    }

    /// A copy of the state, to be changed.
    pub(crate) fn copy(&mut self, given: Parameters, len: Value, tag: Value, creates: bool) -> Making {
        let state = self.call(self.helpers.copy, &[self.cx, given.scene.state, len, tag]);
        let counts = creates
            .then(|| COUNTS.map(|field| self.builder.ins().load(types::I64, PACKED, self.cx, field as i32)));
        self.begin(given, state, len, counts, false)
    }

    /// A copy of the state, to be changed by this command.
    pub(crate) fn copy_for(&mut self, given: Parameters, command: &Command, tag: Value) -> Making {
        let creates = self.may_create(given.scene.process, command);
        if command.atomic || creates || self.facts.hides {
            self.copy(given, given.len, tag, creates)
        } else {
            self.successor(given, tag)
        }
    }

    /// A copy of the state that is a successor already, and yet to be changed. See [`crate::runtime::successor`].
    fn successor(&mut self, given: Parameters, tag: Value) -> Making {
        let state = self.call(self.helpers.successor, &[self.cx, given.scene.state, given.len, tag]);
        self.begin(given, state, given.len, None, true)
    }

    fn begin(
        &mut self,
        given: Parameters,
        state: Value,
        len: Value,
        counts: Option<[Value; 2]>,
        noted: bool,
    ) -> Making {
        let there = self.block();
        self.builder.ins().brif(state, there, &[], self.end, &[]);
        self.builder.switch_to_block(there);
        let variable = self.builder.declare_var(types::I64);
        self.builder.def_var(variable, len);
        let frame = self.builder.ins().iadd(state, given.base);
        Making { scene: Scene { state, frame, ..given.scene }, len: variable, counts, noted }
    }

    /// Whether a command may create processes. What is in a deterministic sequence is not looked at closely.
    pub(crate) fn may_create(&self, process: ProcessId, command: &Command) -> bool {
        let creates =
            |command: &Command| command.effects.iter().any(|effect| matches!(effect, Effect::Run { .. }));
        match command.guard {
            Guard::Body { .. } => self.kind(process).commands.iter().any(creates),
            _ => creates(command),
        }
    }

    /// Makes the successor of a command that is executed alone; `communicate` does what it does with a channel.
    pub(crate) fn make(
        &mut self,
        given: Parameters,
        id: CommandId,
        communicate: impl FnOnce(&mut Self, Making),
    ) {
        let process = given.scene.process;
        let command = &self.kind(process).commands[id.index()];
        let tag = self.tag(given.scene.pid, id);
        let making = self.copy_for(given, command, tag);
        self.mark(self.number(process, id));
        communicate(self, making);
        self.effects(making, &command.effects);
        if let Guard::Body { entry, exit } = command.guard {
            self.body(making, entry, exit);
        }
        self.go_to(making.scene, command.target);
        self.complete(making, command.atomic);
        let one = self.word(1);
        self.count_moves(one);
    }

    /// Ends the process, which is the youngest.
    pub(crate) fn exit(&mut self, given: Parameters, id: CommandId) {
        let tag = self.tag(given.scene.pid, id);
        let making = self.copy(given, given.base, tag, false);
        self.mark(self.number(given.scene.process, id));
        let at = self.layout_count();
        let count = self.load(Width::Byte, making.scene.state, at);
        let fewer = self.builder.ins().iadd_imm(count, -1);
        self.store(Width::Byte, fewer, making.scene.state, at);
        self.complete(making, false);
        let one = self.word(1);
        self.count_moves(one);
    }

    /// The command is done: the process has moved last, and goes on alone or not.
    pub(crate) fn complete(&mut self, making: Making, atomic: bool) {
        let Making { scene, len, .. } = making;
        if let Some(at) = self.layout.last {
            let pid = self.builder.ins().ireduce(types::I32, scene.pid);
            self.store(Width::Byte, pid, scene.state, at);
        }
        if making.noted {
            return;
        }
        let len = self.builder.use_var(len);
        if atomic {
            self.call_for_effect(self.helpers.chain, &[self.cx, scene.state, len, scene.pid]);
        } else {
            self.call_for_effect(self.helpers.commit, &[self.cx, scene.state, len]);
        }
        // What was created belongs to this successor only.
        if let Some(counts) = making.counts {
            for (value, field) in counts.into_iter().zip(COUNTS) {
                self.builder.ins().store(PACKED, value, self.cx, field as i32);
            }
        }
    }

    pub(crate) fn go_to(&mut self, scene: Scene, target: Loc) {
        let wide = self.layout.frames[scene.process.index()].wide_location;
        let target = self.int(target.0 as i32);
        self.store(if wide { Width::Short } else { Width::Byte }, target, scene.frame, LOCATION);
    }

    pub(crate) fn effects(&mut self, making: Making, effects: &[Effect]) {
        let scene = making.scene;
        for effect in effects {
            match effect {
                Effect::Assign(lvalue, expr) => {
                    let value = self.value(scene, expr);
                    self.assign(scene, lvalue, value);
                }
                Effect::Assert(expr) => {
                    let yes = self.block();
                    self.branch(scene, expr, yes, self.bail);
                    self.builder.switch_to_block(yes);
                }
                Effect::Run { process, arguments, priority, result } => {
                    if priority.is_some() || arguments.len() > MOST_VALUES {
                        self.leave_to_interpreter();
                        continue;
                    }
                    let values: Vec<Value> = arguments.iter().map(|expr| self.value(scene, expr)).collect();
                    let given = offset_of!(Context, arguments);
                    let missing = self.kind(*process).parameters as usize;
                    for index in 0..missing.min(MOST_VALUES) {
                        let value = values.get(index).copied().unwrap_or_else(|| self.int(0));
                        self.builder.ins().store(PACKED, value, self.cx, (given + 4 * index) as i32);
                    }
                    let pid = self.builder.ins().load(
                        types::I32,
                        PACKED,
                        self.cx,
                        offset_of!(Context, process_count) as i32,
                    );
                    let len = self.builder.use_var(making.len);
                    let kind = self.word(process.index());
                    let len = self.call(self.helpers.create, &[self.cx, scene.state, len, kind]);
                    let created = self.block();
                    self.builder.ins().brif(len, created, &[], self.end, &[]);
                    self.builder.switch_to_block(created);
                    self.builder.def_var(making.len, len);
                    if let Some(lvalue) = result {
                        self.assign(scene, lvalue, pid);
                    }
                }
                Effect::Print { .. } => {}
                Effect::SetPriority { .. } => self.leave_to_interpreter(),
                Effect::Place { process, at, arguments } => self.place(scene, *process, *at, arguments),
            }
        }
    }
}
