//! One function at a time: the code of a location, of its part as the receiver at a rendez-vous, and of the initial
//! values of a new process.
//!
//! The code of a location tries the commands that leave it, in the interpreter's order. For each that is executable it
//! makes a copy of the state and changes it in place; what it reads to decide is the original. Atomic commands hand their
//! copy to [`crate::runtime::chain`], which goes on with the code of the next location; a deterministic sequence is
//! emitted inline, as blocks of the same function.

use crate::expression::{Channel, PACKED};
use crate::facts::Facts;
use crate::runtime::{Context, MOST_VALUES, Sender, bail};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder as _, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use elnath_program::interpreter::{COMMAND_BITS, OUTCOME_BITS, PID_BITS};
use elnath_program::ir::{
    Command, CommandId, Effect, Expr, Guard, Init, Loc, Pattern, ProcessId, ProcessType, Program, Sync, Type,
};
use elnath_program::layout::{LOCATION, Layout, Width};
use std::collections::HashMap;
use std::mem::offset_of;

/// The longest that a deterministic sequence may take before the interpreter looks whether it ever ends.
const MOST_BODY_STEPS: i64 = 10_000;

/// The functions that machine code calls.
#[derive(Clone, Copy)]
pub(crate) struct Helpers {
    pub(crate) copy: FuncRef,
    pub(crate) commit: FuncRef,
    pub(crate) chain: FuncRef,
    pub(crate) rendezvous: FuncRef,
    pub(crate) create: FuncRef,
    pub(crate) sorted_position: FuncRef,
    pub(crate) shift: FuncRef,
    pub(crate) first_of: FuncRef,
}

pub(crate) struct Translator<'a, 'b> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    pub(crate) facts: &'a Facts,
    pub(crate) builder: FunctionBuilder<'b>,
    pub(crate) helpers: Helpers,
    pub(crate) cx: Value,
    /// Where to go when only the interpreter knows how to go on.
    bail: Block,
    /// Where to go when there is nothing more to do; returns `moves`.
    end: Block,
    /// How many moves were made.
    moves: Variable,
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
    scene: Scene,
    len: Value,
    base: Value,
}

/// A successor that is being made.
#[derive(Clone, Copy)]
struct Making {
    scene: Scene,
    /// The length of its state, which changes when processes are created.
    len: Variable,
    /// How many processes and channels there were before, if that may change.
    counts: Option<[Value; 2]>,
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

    fn call_for_effect(&mut self, function: FuncRef, arguments: &[Value]) {
        self.builder.ins().call(function, arguments);
    }

    pub(crate) fn layout_count(&self) -> usize {
        self.facts.count_at
    }

    fn kind(&self, process: ProcessId) -> &'a ProcessType {
        &self.program.processes[process.index()]
    }

    fn count_moves(&mut self, more: Value) {
        let moves = self.builder.use_var(self.moves);
        let moves = self.builder.ins().iadd(moves, more);
        self.builder.def_var(self.moves, moves);
    }

    /// A process moves only while its condition is true.
    fn provided(&mut self, scene: Scene) {
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
                let next = self.block();
                let after = self.builder.use_var(self.moves);
                let none = self.builder.ins().icmp(IntCC::Equal, before, after);
                self.builder.ins().brif(none, next, &[], self.end, &[]);
                self.builder.switch_to_block(next);
            }
        }
    }

    /// One command: makes its successors if it is executable.
    fn command(&mut self, given: Parameters, id: CommandId) {
        let command = &self.kind(given.scene.process).commands[id.index()];
        let (yes, next) = (self.block(), self.block());
        self.guard(given.scene, command, yes, next);
        self.builder.switch_to_block(yes);
        match &command.sync {
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

    /// Whether a receive from this channel is one half of a rendez-vous, which is not executable alone.
    fn is_meeting(&self, channel: Channel, patterns: &[Pattern]) -> bool {
        let fields = self.program.channels[channel.kind.index()].fields.len();
        self.capacity(channel.kind) == 0 && patterns.len() <= fields
    }

    fn has_room(&mut self, state: Value, channel: Channel, room: Block, full: Block) {
        let length = self.length(state, channel);
        let capacity = i64::from(self.capacity(channel.kind));
        let free = self.builder.ins().icmp_imm(IntCC::UnsignedLessThan, length, capacity);
        self.builder.ins().brif(free, room, &[], full, &[]);
    }

    /// Goes to `yes` if the guard alone allows the command, else to `no`.
    fn guard(&mut self, scene: Scene, command: &Command, yes: Block, no: Block) {
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

    /// Goes to `yes` if some command of an inner location can be executed.
    fn some_executable(&mut self, scene: Scene, at: Loc, yes: Block, no: Block) {
        let kind = self.kind(scene.process);
        for group in &kind.locations[at.index()].groups {
            let mut otherwise = false;
            for &id in group {
                let command = &kind.commands[id.index()];
                if command.guard == Guard::Else {
                    otherwise = true;
                    continue;
                }
                let next = self.block();
                self.executable(scene, command, yes, next);
                self.builder.switch_to_block(next);
            }
            if otherwise {
                self.builder.ins().jump(yes, &[]);
                return;
            }
        }
        self.builder.ins().jump(no, &[]);
    }

    /// Goes to `yes` if the command of a deterministic sequence can be executed.
    fn executable(&mut self, scene: Scene, command: &Command, yes: Block, no: Block) {
        let may = self.block();
        self.guard(scene, command, may, no);
        self.builder.switch_to_block(may);
        match &command.sync {
            Sync::None => {
                self.builder.ins().jump(yes, &[]);
            }
            Sync::Send { channel, .. } => {
                let done = self.block();
                self.for_each_kind(scene, channel, done, |this, channel| {
                    // Nobody is met within a deterministic sequence.
                    if this.capacity(channel.kind) > 0 {
                        let full = this.block();
                        this.has_room(scene.state, channel, yes, full);
                        this.builder.switch_to_block(full);
                    }
                });
                self.builder.ins().jump(no, &[]);
            }
            Sync::Receive { channel, patterns, random, .. } => {
                let done = self.block();
                self.for_each_kind(scene, channel, done, |this, channel| {
                    if !this.is_meeting(channel, patterns) {
                        let none = this.block();
                        this.matching(scene, channel, patterns, *random, none);
                        this.builder.ins().jump(yes, &[]);
                        this.builder.switch_to_block(none);
                    }
                });
                self.builder.ins().jump(no, &[]);
            }
        }
    }

    /// The transition of a command, without the number of the outcome.
    fn tag(&mut self, pid: Value, id: CommandId) -> Value {
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
    fn mark(&mut self, number: u32) {
        let table =
            self.builder.ins().load(types::I64, PACKED, self.cx, offset_of!(Context, executed) as i32);
        let one = self.int(1);
        self.builder.ins().istore8(PACKED, one, table, number as i32);
    }

    fn number(&self, process: ProcessId, id: CommandId) -> u32 {
        self.facts.first_command[process.index()] + id.0
    }

    /// A copy of the state, to be changed.
    fn copy(&mut self, given: Parameters, len: Value, tag: Value, creates: bool) -> Making {
        let state = self.call(self.helpers.copy, &[self.cx, given.scene.state, len, tag]);
        let there = self.block();
        self.builder.ins().brif(state, there, &[], self.end, &[]);
        self.builder.switch_to_block(there);
        let variable = self.builder.declare_var(types::I64);
        self.builder.def_var(variable, len);
        let frame = self.builder.ins().iadd(state, given.base);
        let counts = creates
            .then(|| COUNTS.map(|field| self.builder.ins().load(types::I64, PACKED, self.cx, field as i32)));
        Making { scene: Scene { state, frame, ..given.scene }, len: variable, counts }
    }

    /// Whether a command may create processes. What is in a deterministic sequence is not looked at closely.
    fn may_create(&self, process: ProcessId, command: &Command) -> bool {
        let creates =
            |command: &Command| command.effects.iter().any(|effect| matches!(effect, Effect::Run { .. }));
        match command.guard {
            Guard::Body { .. } => self.kind(process).commands.iter().any(creates),
            _ => creates(command),
        }
    }

    /// Makes the successor of a command that is executed alone; `communicate` does what it does with a channel.
    fn make(&mut self, given: Parameters, id: CommandId, communicate: impl FnOnce(&mut Self, Making)) {
        let process = given.scene.process;
        let command = &self.kind(process).commands[id.index()];
        let tag = self.tag(given.scene.pid, id);
        let making = self.copy(given, given.len, tag, self.may_create(process, command));
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
    fn exit(&mut self, given: Parameters, id: CommandId) {
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
    fn complete(&mut self, making: Making, atomic: bool) {
        let Making { scene, len, .. } = making;
        if let Some(at) = self.layout.last {
            let pid = self.builder.ins().ireduce(types::I32, scene.pid);
            self.store(Width::Byte, pid, scene.state, at);
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

    fn go_to(&mut self, scene: Scene, target: Loc) {
        let wide = self.layout.frames[scene.process.index()].wide_location;
        let target = self.int(target.0 as i32);
        self.store(if wide { Width::Short } else { Width::Byte }, target, scene.frame, LOCATION);
    }

    fn effects(&mut self, making: Making, effects: &[Effect]) {
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
            }
        }
    }

    /// Puts a message into a channel that has room.
    fn put(&mut self, scene: Scene, channel: Channel, fields: &[Expr], sorted: bool) {
        let types: &'a [Type] = &self.program.channels[channel.kind.index()].fields;
        if fields.len() != types.len() || types.len() > MOST_VALUES {
            self.leave_to_interpreter();
            return;
        }
        let values: Vec<Value> = fields
            .iter()
            .zip(types)
            .map(|(field, &ty)| {
                let value = self.value(scene, field);
                self.truncate(ty, value)
            })
            .collect();
        let block = self.layout.block(channel.kind);
        let at = self.builder.ins().iadd(scene.state, channel.at);
        let length = self.length(scene.state, channel);
        let messages = self.builder.ins().iadd_imm(at, block.header as i64);
        let count = self.builder.ins().uextend(types::I64, length);
        let position = if sorted { self.sorted_position(channel, messages, count, &values) } else { count };
        let offset = self.builder.ins().imul_imm(position, block.message as i64);
        let message = self.builder.ins().iadd(messages, offset);
        if sorted {
            let size = self.word(block.message);
            let after = self.builder.ins().iadd(message, size);
            let behind = self.builder.ins().isub(count, position);
            let bytes = self.builder.ins().imul_imm(behind, block.message as i64);
            self.call_for_effect(self.helpers.shift, &[after, message, bytes]);
        }
        let mut offset = 0;
        for (value, &ty) in values.into_iter().zip(types) {
            self.store(Width::of(ty), value, message, offset);
            offset += ty.size() as usize;
        }
        let more = self.builder.ins().iadd_imm(length, 1);
        self.store(if block.header == 1 { Width::Byte } else { Width::Long }, more, at, 0);
    }

    fn sorted_position(
        &mut self,
        channel: Channel,
        messages: Value,
        count: Value,
        values: &[Value],
    ) -> Value {
        let arguments = offset_of!(Context, arguments);
        for (index, &value) in values.iter().enumerate() {
            self.builder.ins().store(PACKED, value, self.cx, (arguments + 4 * index) as i32);
        }
        let values = self.builder.ins().iadd_imm(self.cx, arguments as i64);
        let fields = self.word(self.facts.fields_address(channel.kind));
        self.call(self.helpers.sorted_position, &[messages, count, values, fields])
    }

    /// Takes the message with this index out of a channel, and stores its fields.
    fn take(&mut self, scene: Scene, channel: Channel, patterns: &[Pattern], copy: bool, index: Value) {
        let types: &'a [Type] = &self.program.channels[channel.kind.index()].fields;
        if !copy && patterns.len() < types.len() {
            // A fault that the interpreter goes on after.
            self.leave_to_interpreter();
            return;
        }
        let block = self.layout.block(channel.kind);
        let at = self.builder.ins().iadd(scene.state, channel.at);
        let messages = self.builder.ins().iadd_imm(at, block.header as i64);
        let offset = self.builder.ins().imul_imm(index, block.message as i64);
        let message = self.builder.ins().iadd(messages, offset);
        let mut values = Vec::with_capacity(types.len());
        let mut offset = 0;
        for (&ty, pattern) in types.iter().zip(patterns) {
            let bound = matches!(pattern, Pattern::Bind(_));
            values.push(bound.then(|| self.load(Width::of(ty), message, offset)));
            offset += ty.size() as usize;
        }
        if !copy {
            let length = self.length(scene.state, channel);
            let fewer = self.builder.ins().iadd_imm(length, -1);
            self.store(if block.header == 1 { Width::Byte } else { Width::Long }, fewer, at, 0);
            let last = self.builder.ins().uextend(types::I64, fewer);
            if self.capacity(channel.kind) > 1 {
                let behind = self.builder.ins().isub(last, index);
                let bytes = self.builder.ins().imul_imm(behind, block.message as i64);
                let (some, none) = (self.block(), self.block());
                self.builder.ins().brif(bytes, some, &[], none, &[]);
                self.builder.switch_to_block(some);
                let after = self.builder.ins().iadd_imm(message, block.message as i64);
                self.call_for_effect(self.helpers.shift, &[message, after, bytes]);
                self.builder.ins().jump(none, &[]);
                self.builder.switch_to_block(none);
            }
            // Free places are zero.
            let offset = self.builder.ins().imul_imm(last, block.message as i64);
            let freed = self.builder.ins().iadd(messages, offset);
            let zero = self.int(0);
            let mut offset = 0;
            for &ty in types {
                self.store(Width::of(ty), zero, freed, offset);
                offset += ty.size() as usize;
            }
        }
        for (pattern, value) in patterns.iter().zip(values) {
            if let (Pattern::Bind(lvalue), Some(value)) = (pattern, value) {
                self.assign(scene, lvalue, value);
            }
        }
    }

    /// A deterministic sequence, from an inner location to its exit.
    fn body(&mut self, making: Making, entry: Loc, exit: Loc) {
        if entry == exit {
            self.leave_to_interpreter();
            return;
        }
        let after = self.block();
        let steps = self.builder.declare_var(types::I64);
        let zero = self.word(0);
        self.builder.def_var(steps, zero);
        let mut blocks = HashMap::from([(exit, after)]);
        let first = self.block();
        blocks.insert(entry, first);
        self.builder.ins().jump(first, &[]);
        let mut todo = vec![entry];
        while let Some(at) = todo.pop() {
            self.builder.switch_to_block(blocks[&at]);
            let so_far = self.builder.use_var(steps);
            let now = self.builder.ins().iadd_imm(so_far, 1);
            self.builder.def_var(steps, now);
            let many = self.builder.ins().icmp_imm(IntCC::UnsignedGreaterThan, now, MOST_BODY_STEPS);
            self.bail_if(many);
            self.inner_location(making, at, &mut |this, target| {
                *blocks.entry(target).or_insert_with(|| {
                    todo.push(target);
                    this.block()
                })
            });
        }
        self.builder.switch_to_block(after);
    }

    /// The first command of an inner location that can be executed, is; none is a fault.
    fn inner_location(&mut self, making: Making, at: Loc, block: &mut dyn FnMut(&mut Self, Loc) -> Block) {
        let kind = self.kind(making.scene.process);
        for group in &kind.locations[at.index()].groups {
            let mut otherwise = None;
            for &id in group {
                let command = &kind.commands[id.index()];
                if command.guard == Guard::Else {
                    otherwise = Some(id);
                    continue;
                }
                let next = self.block();
                self.inner_command(making, id, next, block);
                self.builder.switch_to_block(next);
            }
            if let Some(id) = otherwise {
                let command = &kind.commands[id.index()];
                self.mark(self.number(making.scene.process, id));
                self.effects(making, &command.effects);
                let target = block(self, command.target);
                self.builder.ins().jump(target, &[]);
                let dead = self.block();
                self.builder.switch_to_block(dead);
                break;
            }
        }
        self.builder.ins().jump(self.bail, &[]);
    }

    /// A command of a deterministic sequence: changes the state in place and goes on, or to `next` if it cannot.
    fn inner_command(
        &mut self,
        making: Making,
        id: CommandId,
        next: Block,
        block: &mut dyn FnMut(&mut Self, Loc) -> Block,
    ) {
        let scene = making.scene;
        let command = &self.kind(scene.process).commands[id.index()];
        if matches!(command.guard, Guard::Body { .. } | Guard::Exit) {
            self.builder.ins().jump(self.bail, &[]);
            return;
        }
        let may = self.block();
        self.guard(scene, command, may, next);
        self.builder.switch_to_block(may);
        let target = block(self, command.target);
        let rest = |this: &mut Self| {
            this.mark(this.number(scene.process, id));
            this.effects(making, &command.effects);
            this.builder.ins().jump(target, &[]);
            let dead = this.block();
            this.builder.switch_to_block(dead);
        };
        match &command.sync {
            Sync::None => rest(self),
            Sync::Send { channel, fields, sorted } => {
                let done = self.block();
                self.for_each_kind(scene, channel, done, |this, channel| {
                    if this.capacity(channel.kind) == 0 {
                        return;
                    }
                    let (room, full) = (this.block(), this.block());
                    this.has_room(scene.state, channel, room, full);
                    this.builder.switch_to_block(room);
                    this.put(scene, channel, fields, *sorted);
                    rest(this);
                    this.builder.ins().jump(full, &[]);
                    this.builder.switch_to_block(full);
                });
            }
            Sync::Receive { channel, patterns, random, copy } => {
                let done = self.block();
                self.for_each_kind(scene, channel, done, |this, channel| {
                    if this.is_meeting(channel, patterns) {
                        return;
                    }
                    let none = this.block();
                    let index = this.matching(scene, channel, patterns, *random, none);
                    this.take(scene, channel, patterns, *copy, index);
                    rest(this);
                    this.builder.ins().jump(none, &[]);
                    this.builder.switch_to_block(none);
                });
            }
        }
        self.builder.ins().jump(next, &[]);
    }

    /// The sender's half of a rendez-vous: says what is sent, and lets all others look whether they receive it.
    fn send_at_rendezvous(&mut self, given: Parameters, id: CommandId, channel: Channel, fields: &[Expr]) {
        let scene = given.scene;
        let command = &self.kind(scene.process).commands[id.index()];
        let types: &'a [Type] = &self.program.channels[channel.kind.index()].fields;
        if fields.len() != types.len() || types.len() > MOST_VALUES || !command.effects.is_empty() {
            self.leave_to_interpreter();
            return;
        }
        for (index, (field, &ty)) in fields.iter().zip(types).enumerate() {
            let value = self.value(scene, field);
            let value = self.truncate(ty, value);
            self.set_sender(value, offset_of!(Sender, values) + 4 * index);
        }
        let tag = self.tag(scene.pid, id);
        self.set_sender(tag, offset_of!(Sender, tag));
        let location = self.builder.ins().iadd_imm(given.base, LOCATION as i64);
        self.set_sender(location, offset_of!(Sender, location_at));
        self.set_sender(channel.number, offset_of!(Sender, channel));
        let wide = self.layout.frames[scene.process.index()].wide_location;
        for (value, field) in [
            (command.target.0, offset_of!(Sender, target)),
            (u32::from(wide), offset_of!(Sender, wide)),
            (types.len() as u32, offset_of!(Sender, count)),
            (self.number(scene.process, id), offset_of!(Sender, command)),
        ] {
            let value = self.int(value as i32);
            self.set_sender(value, field);
        }
        let arguments = [self.cx, scene.state, given.len, scene.pid];
        let moves = self.call(self.helpers.rendezvous, &arguments);
        self.count_moves(moves);
    }

    fn set_sender(&mut self, value: Value, field: usize) {
        let offset = (offset_of!(Context, sender) + field) as i32;
        self.builder.ins().store(PACKED, value, self.cx, offset);
    }

    fn sender(&mut self, ty: cranelift_codegen::ir::Type, field: usize) -> Value {
        let offset = (offset_of!(Context, sender) + field) as i32;
        self.builder.ins().load(ty, PACKED, self.cx, offset)
    }

    /// All that can be received at a location from the context's sender.
    pub(crate) fn receiver(&mut self, given: Parameters, at: Loc) {
        self.provided(given.scene);
        let kind = self.kind(given.scene.process);
        let groups = &kind.locations[at.index()].groups;
        for (index, group) in groups.iter().enumerate() {
            let before = self.builder.use_var(self.moves);
            for &id in group {
                let command = &kind.commands[id.index()];
                if !self.facts.may_meet(self.program, kind, command) {
                    continue;
                }
                let next = self.block();
                match command.guard {
                    Guard::Body { entry, exit } => self.receive_in_body(given, id, entry, exit, next),
                    _ => {
                        self.receives(given.scene, command, next);
                        self.receive(given, id, (command, id), None);
                        self.builder.ins().jump(next, &[]);
                    }
                }
                self.builder.switch_to_block(next);
            }
            if index + 1 < groups.len() {
                let next = self.block();
                let after = self.builder.use_var(self.moves);
                let none = self.builder.ins().icmp(IntCC::Equal, before, after);
                self.builder.ins().brif(none, next, &[], self.end, &[]);
                self.builder.switch_to_block(next);
            }
        }
    }

    /// Goes to `no` unless the command can receive what the sender sends.
    fn receives(&mut self, scene: Scene, command: &Command, no: Block) {
        let dead = |this: &mut Self| {
            this.builder.ins().jump(no, &[]);
            let dead = this.block();
            this.builder.switch_to_block(dead);
        };
        let Sync::Receive { channel, patterns, .. } = &command.sync else { return dead(self) };
        match &command.guard {
            Guard::Always => {}
            Guard::When(expr) => {
                let yes = self.block();
                self.branch(scene, expr, yes, no);
                self.builder.switch_to_block(yes);
            }
            Guard::Else | Guard::Exit => return dead(self),
            Guard::Body { .. } => return self.leave_to_interpreter(),
        }
        let number = self.value(scene, channel);
        let wanted = self.sender(types::I32, offset_of!(Sender, channel));
        let same = self.builder.ins().icmp(IntCC::Equal, number, wanted);
        let yes = self.block();
        self.builder.ins().brif(same, yes, &[], no, &[]);
        self.builder.switch_to_block(yes);
        // Another number of fields is the interpreter's matter.
        let count = self.sender(types::I32, offset_of!(Sender, count));
        let other = self.builder.ins().icmp_imm(IntCC::NotEqual, count, patterns.len() as i64);
        self.bail_if(other);
        for (index, pattern) in patterns.iter().enumerate().take(MOST_VALUES) {
            if let Pattern::Match(expr) = pattern {
                let wanted = self.value(scene, expr);
                let sent = self.sender(types::I32, offset_of!(Sender, values) + 4 * index);
                let equal = self.builder.ins().icmp(IntCC::Equal, wanted, sent);
                let next = self.block();
                self.builder.ins().brif(equal, next, &[], no, &[]);
                self.builder.switch_to_block(next);
            }
        }
    }

    /// A deterministic sequence may begin with the receiving half of a rendez-vous: with the first command that can.
    fn receive_in_body(&mut self, given: Parameters, id: CommandId, entry: Loc, exit: Loc, next: Block) {
        let kind = self.kind(given.scene.process);
        for (inner, command) in kind.leaving(entry) {
            if !self.facts.may_meet(self.program, kind, command) {
                continue;
            }
            let other = self.block();
            self.receives(given.scene, command, other);
            self.receive(given, id, (command, inner), Some((command.target, exit)));
            self.builder.ins().jump(next, &[]);
            self.builder.switch_to_block(other);
        }
        self.builder.ins().jump(next, &[]);
    }

    /// Sender and receiver move together. `by` takes the message; `rest` of a deterministic sequence follows.
    fn receive(
        &mut self,
        given: Parameters,
        id: CommandId,
        (by, by_id): (&Command, CommandId),
        rest: Option<(Loc, Loc)>,
    ) {
        let process = given.scene.process;
        let outer = &self.kind(process).commands[id.index()];
        let Sync::Receive { patterns, .. } = &by.sync else { return };
        let tag = self.sender(types::I64, offset_of!(Sender, tag));
        let making = self.copy(given, given.len, tag, self.may_create(process, outer));
        let scene = making.scene;
        for (index, pattern) in patterns.iter().enumerate().take(MOST_VALUES) {
            if let Pattern::Bind(lvalue) = pattern {
                let value = self.sender(types::I32, offset_of!(Sender, values) + 4 * index);
                self.assign(scene, lvalue, value);
            }
        }
        // The sender moves on.
        let location_at = self.sender(types::I64, offset_of!(Sender, location_at));
        let target = self.sender(types::I32, offset_of!(Sender, target));
        let wide = self.sender(types::I32, offset_of!(Sender, wide));
        let command = self.sender(types::I32, offset_of!(Sender, command));
        let table =
            self.builder.ins().load(types::I64, PACKED, self.cx, offset_of!(Context, executed) as i32);
        let command = self.builder.ins().uextend(types::I64, command);
        let mark = self.builder.ins().iadd(table, command);
        let one = self.int(1);
        self.builder.ins().istore8(PACKED, one, mark, 0);
        self.mark(self.number(process, id));
        if rest.is_some() {
            self.effects(making, &outer.effects);
        }
        self.mark(self.number(process, by_id));
        self.effects(making, &by.effects);
        if let Some((at, exit)) = rest
            && at != exit
        {
            self.body(making, at, exit);
        }
        let at = self.builder.ins().iadd(scene.state, location_at);
        let (short, long, done) = (self.block(), self.block(), self.block());
        self.builder.ins().brif(wide, long, &[], short, &[]);
        for (block, width) in [(short, Width::Byte), (long, Width::Short)] {
            self.builder.switch_to_block(block);
            self.store(width, target, at, 0);
            self.builder.ins().jump(done, &[]);
        }
        self.builder.switch_to_block(done);
        self.go_to(scene, outer.target);
        self.complete(making, outer.atomic);
        let one = self.word(1);
        self.count_moves(one);
    }
}
