//! Expressions to machine code.
//!
//! Values are 32-bit integers. Whatever the interpreter would report as a fault becomes a jump to the bail-out, after
//! which the interpreter expands the whole state and finds the fault itself.

use crate::runtime::{ChannelEntry, Context};
use crate::translate::{Scene, Translator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, MemFlags, Value, types};
use elnath_program::ir::{
    Binary, Capacity, ChannelId, ChannelQuery, Expr, Init, Lvalue, Pattern, ProcessId, Type, Unary,
    VariableRef,
};
use elnath_program::layout::{LOCATION, Slot, Width};
use std::mem::offset_of;

/// States are packed: nothing is aligned, but nothing traps.
pub(crate) const PACKED: MemFlags = MemFlags::new().with_notrap();

/// A channel whose kind is known.
#[derive(Clone, Copy)]
pub(crate) struct Channel {
    pub(crate) kind: ChannelId,
    /// Its number.
    pub(crate) number: Value,
    /// Where it lies in the state.
    pub(crate) at: Value,
}

/// What is known of a channel when code is made.
pub(crate) enum Known {
    Kind(Channel),
    /// Only its number and the address of its entry in the context's table.
    Number(Value),
}

impl<'a> Translator<'a, '_> {
    pub(crate) fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    pub(crate) fn word(&mut self, value: usize) -> Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    /// The value of an expression that is the same in every state.
    pub(crate) fn constant(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Load(Lvalue { variable: VariableRef::Global(index), indices }) => {
                let variable = &self.program.globals[*index as usize];
                if self.facts.is_written(*index) {
                    return None;
                }
                match &variable.init {
                    Init::Zero => Some(0),
                    Init::Value(expr) if indices.is_empty() => {
                        self.constant(expr).and_then(|value| variable.ty.store(value))
                    }
                    Init::Channel(_) if indices.is_empty() => Some(self.facts.first_channel(*index)),
                    _ => None,
                }
                .filter(|_| indices.is_empty())
            }
            Expr::Unary(operator, a) => Some(operator.apply(self.constant(a)?)),
            Expr::Binary(operator, ab) => operator.apply(self.constant(&ab[0])?, self.constant(&ab[1])?),
            _ => None,
        }
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, scene: Scene, expr: &Expr) -> Value {
        if let Some(value) = self.constant(expr) {
            return self.int(value);
        }
        match expr {
            Expr::Const(value) => self.int(*value),
            Expr::Load(lvalue) => {
                let (at, slot) = self.address(scene, lvalue);
                self.load(Width::of(slot.ty), at, slot.offset)
            }
            Expr::Unary(Unary::Neg, a) => {
                let a = self.value(scene, a);
                self.builder.ins().ineg(a)
            }
            Expr::Unary(Unary::Complement, a) => {
                let a = self.value(scene, a);
                self.builder.ins().bnot(a)
            }
            Expr::Unary(Unary::Not, _) => self.truth(scene, expr),
            Expr::Binary(operator, ab) => self.binary(scene, expr, *operator, ab),
            Expr::Cond(parts) => {
                let result = self.builder.declare_var(types::I32);
                let (yes, no, done) = (self.block(), self.block(), self.block());
                self.branch(scene, &parts[0], yes, no);
                for (block, part) in [(yes, &parts[1]), (no, &parts[2])] {
                    self.builder.switch_to_block(block);
                    let value = self.value(scene, part);
                    self.builder.def_var(result, value);
                    self.builder.ins().jump(done, &[]);
                }
                self.builder.switch_to_block(done);
                self.builder.use_var(result)
            }
            Expr::Pid => self.builder.ins().ireduce(types::I32, scene.pid),
            Expr::ProcessCount => {
                let at = self.layout_count();
                self.load(Width::Byte, scene.state, at)
            }
            Expr::Last => match self.layout.last {
                Some(at) => self.load(Width::Byte, scene.state, at),
                None => self.int(0),
            },
            Expr::Timeout => {
                let offset = offset_of!(Context, timeout) as i32;
                self.builder.ins().load(types::I32, PACKED, self.cx, offset)
            }
            Expr::Channel(query, channel) => self.query(scene, *query, channel),
            Expr::Poll { channel, patterns, random, ahead } => {
                self.poll(scene, channel, patterns, *random, *ahead)
            }
            Expr::Remote { process, pid, variable, indices } => {
                self.remote(scene, *process, pid.as_deref(), |this, frame| {
                    let slot = &this.layout.frames[process.index()].slots[*variable as usize];
                    let at = this.element(scene, frame, slot, indices);
                    this.load(slot.width, at, slot.offset)
                })
            }
            Expr::At { process, pid, locations } => {
                self.remote(scene, *process, pid.as_deref(), |this, frame| {
                    let wide = this.layout.frames[process.index()].wide_location;
                    let width = if wide { Width::Short } else { Width::Byte };
                    let here = this.load(width, frame, LOCATION);
                    let mut any = this.int(0);
                    for location in locations {
                        let equal = this.builder.ins().icmp_imm(IntCC::Equal, here, i64::from(location.0));
                        let equal = this.builder.ins().uextend(types::I32, equal);
                        any = this.builder.ins().bor(any, equal);
                    }
                    any
                })
            }
            Expr::Location(_) | Expr::Enabled(_) | Expr::NonProgress | Expr::Priority(_) => {
                self.leave_to_interpreter();
                self.int(0)
            }
        }
    }

    fn binary(&mut self, scene: Scene, expr: &Expr, operator: Binary, ab: &[Expr; 2]) -> Value {
        match operator {
            Binary::And | Binary::Or => return self.truth(scene, expr),
            _ => {}
        }
        let a = self.value(scene, &ab[0]);
        if matches!(operator, Binary::Div | Binary::Rem) {
            return self.divide(scene, operator, a, &ab[1]);
        }
        let b = self.value(scene, &ab[1]);
        let ins = self.builder.ins();
        let condition = match operator {
            Binary::Add => return ins.iadd(a, b),
            Binary::Sub => return ins.isub(a, b),
            Binary::Mul => return ins.imul(a, b),
            Binary::BitAnd => return ins.band(a, b),
            Binary::BitOr => return ins.bor(a, b),
            Binary::BitXor => return ins.bxor(a, b),
            // Both take the count modulo the width, as the interpreter does.
            Binary::Shl => return ins.ishl(a, b),
            Binary::Shr => return ins.sshr(a, b),
            _ => comparison(operator).expect("all others are comparisons"),
        };
        let truth = ins.icmp(condition, a, b);
        self.builder.ins().uextend(types::I32, truth)
    }

    /// Division as the interpreter has it: by zero is a fault, and the one overflow wraps.
    fn divide(&mut self, scene: Scene, operator: Binary, a: Value, by: &Expr) -> Value {
        let b = match self.constant(by) {
            Some(0) => {
                self.leave_to_interpreter();
                self.int(1)
            }
            Some(value) => self.int(value),
            None => {
                let b = self.value(scene, by);
                let zero = self.builder.ins().icmp_imm(IntCC::Equal, b, 0);
                self.bail_if(zero);
                b
            }
        };
        // The quotient of 64-bit numbers does not overflow, and wraps when it is cut to 32 bits.
        let (a, b) = (self.builder.ins().sextend(types::I64, a), self.builder.ins().sextend(types::I64, b));
        let result = match operator {
            Binary::Div => self.builder.ins().sdiv(a, b),
            _ => self.builder.ins().srem(a, b),
        };
        self.builder.ins().ireduce(types::I32, result)
    }

    /// 1 or 0 for an expression that is best compiled as a branch.
    pub(crate) fn truth(&mut self, scene: Scene, expr: &Expr) -> Value {
        let result = self.builder.declare_var(types::I32);
        let (yes, no, done) = (self.block(), self.block(), self.block());
        self.branch(scene, expr, yes, no);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.builder.switch_to_block(block);
            let value = self.int(value);
            self.builder.def_var(result, value);
            self.builder.ins().jump(done, &[]);
        }
        self.builder.switch_to_block(done);
        self.builder.use_var(result)
    }

    /// Goes to `yes` if the expression is not 0, else to `no`.
    pub(crate) fn branch(&mut self, scene: Scene, expr: &Expr, yes: Block, no: Block) {
        if let Some(value) = self.constant(expr) {
            self.builder.ins().jump(if value == 0 { no } else { yes }, &[]);
            return;
        }
        match expr {
            Expr::Unary(Unary::Not, a) => self.branch(scene, a, no, yes),
            Expr::Binary(Binary::And, ab) => {
                let second = self.block();
                self.branch(scene, &ab[0], second, no);
                self.builder.switch_to_block(second);
                self.branch(scene, &ab[1], yes, no);
            }
            Expr::Binary(Binary::Or, ab) => {
                let second = self.block();
                self.branch(scene, &ab[0], yes, second);
                self.builder.switch_to_block(second);
                self.branch(scene, &ab[1], yes, no);
            }
            Expr::Binary(operator, ab) if comparison(*operator).is_some() => {
                let condition = comparison(*operator).expect("it is one");
                let a = self.value(scene, &ab[0]);
                let b = self.value(scene, &ab[1]);
                let truth = self.builder.ins().icmp(condition, a, b);
                self.builder.ins().brif(truth, yes, &[], no, &[]);
            }
            _ => {
                let value = self.value(scene, expr);
                self.builder.ins().brif(value, yes, &[], no, &[]);
            }
        }
    }

    pub(crate) fn load(&mut self, width: Width, at: Value, offset: usize) -> Value {
        let offset = offset as i32;
        let ins = self.builder.ins();
        match width {
            Width::Byte => ins.uload8(types::I32, PACKED, at, offset),
            Width::Short => ins.uload16(types::I32, PACKED, at, offset),
            Width::SignedShort => ins.sload16(types::I32, PACKED, at, offset),
            Width::Long => ins.load(types::I32, PACKED, at, offset),
        }
    }

    /// Stores the lowest bits.
    pub(crate) fn store(&mut self, width: Width, value: Value, at: Value, offset: usize) {
        let offset = offset as i32;
        let ins = self.builder.ins();
        match width {
            Width::Byte => ins.istore8(PACKED, value, at, offset),
            Width::Short | Width::SignedShort => ins.istore16(PACKED, value, at, offset),
            Width::Long => ins.store(PACKED, value, at, offset),
        };
    }

    /// What is left of a value when it is stored.
    pub(crate) fn truncate(&mut self, ty: Type, value: Value) -> Value {
        match ty {
            Type::Unsigned(bits) if bits < 32 => self.builder.ins().band_imm(value, (1_i64 << bits) - 1),
            Type::Signed(16) => {
                let low = self.builder.ins().ireduce(types::I16, value);
                self.builder.ins().sextend(types::I32, low)
            }
            Type::Unsigned(_) | Type::Signed(_) => value,
            Type::Bool => self.builder.ins().band_imm(value, 1),
            Type::Channel | Type::Symbol(_) => self.builder.ins().band_imm(value, 0xff),
            Type::Range(low, high) => {
                let below = self.builder.ins().icmp_imm(IntCC::SignedLessThan, value, i64::from(low));
                self.bail_if(below);
                let above = self.builder.ins().icmp_imm(IntCC::SignedGreaterThan, value, i64::from(high));
                self.bail_if(above);
                value
            }
        }
    }

    /// Stores a value to a variable, cut to its type.
    pub(crate) fn assign(&mut self, scene: Scene, lvalue: &Lvalue, value: Value) {
        let (at, slot) = self.address(scene, lvalue);
        let value = self.truncate(slot.ty, value);
        self.store(slot.width, value, at, slot.offset);
    }

    /// An address and a slot, whose offset is still to be added.
    fn address(&mut self, scene: Scene, lvalue: &Lvalue) -> (Value, &'a Slot) {
        let (base, slot) = match lvalue.variable {
            VariableRef::Global(index) => (scene.state, &self.layout.slots[index as usize]),
            VariableRef::Local(index) => {
                (scene.frame, &self.layout.frames[scene.process.index()].slots[index as usize])
            }
        };
        (self.element(scene, base, slot, &lvalue.indices), slot)
    }

    /// The base moved to an element, without the slot's offset.
    fn element(&mut self, scene: Scene, base: Value, slot: &Slot, indices: &[Expr]) -> Value {
        let mut element: Option<Value> = None;
        for (index, &length) in indices.iter().zip(&slot.dims) {
            let index = match self.constant(index) {
                Some(index) if index >= 0 && (index as u32) < length => self.int(index),
                Some(_) => {
                    self.leave_to_interpreter();
                    self.int(0)
                }
                None => {
                    let index = self.value(scene, index);
                    let outside = self.builder.ins().icmp_imm(
                        IntCC::UnsignedGreaterThanOrEqual,
                        index,
                        i64::from(length),
                    );
                    self.bail_if(outside);
                    index
                }
            };
            element = Some(match element {
                None => index,
                Some(element) => {
                    let row = self.builder.ins().imul_imm(element, i64::from(length));
                    self.builder.ins().iadd(row, index)
                }
            });
        }
        match element {
            None => base,
            Some(element) => {
                let element = self.builder.ins().uextend(types::I64, element);
                let offset = self.builder.ins().imul_imm(element, slot.width.size() as i64);
                self.builder.ins().iadd(base, offset)
            }
        }
    }

    /// Something about another process, given its address; 0 if it is not there or of another kind.
    fn remote(
        &mut self,
        scene: Scene,
        process: ProcessId,
        pid: Option<&Expr>,
        read: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        let result = self.builder.declare_var(types::I32);
        let zero = self.int(0);
        self.builder.def_var(result, zero);
        let (found, done) = (self.block(), self.block());
        let frame = match pid {
            Some(pid) => {
                let pid = self.value(scene, pid);
                let (exists, right) = (self.block(), self.builder.declare_var(types::I64));
                let at = self.layout_count();
                let count = self.load(Width::Byte, scene.state, at);
                let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, pid, count);
                self.builder.ins().brif(inside, exists, &[], done, &[]);
                self.builder.switch_to_block(exists);
                let base = self.process_at(pid);
                let frame = self.builder.ins().iadd(scene.state, base);
                self.builder.def_var(right, frame);
                let kind = self.load(Width::Byte, frame, 0);
                let same = self.builder.ins().icmp_imm(IntCC::Equal, kind, i64::from(process.0));
                self.builder.ins().brif(same, found, &[], done, &[]);
                self.builder.switch_to_block(found);
                self.builder.use_var(right)
            }
            None => {
                let kind = self.word(process.index());
                let base = self.call(self.helpers.first_of, &[self.cx, scene.state, kind]);
                self.builder.ins().brif(base, found, &[], done, &[]);
                self.builder.switch_to_block(found);
                self.builder.ins().iadd(scene.state, base)
            }
        };
        let value = read(self, frame);
        self.builder.def_var(result, value);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
        self.builder.use_var(result)
    }

    /// Where the process with this number lies.
    fn process_at(&mut self, pid: Value) -> Value {
        let table =
            self.builder.ins().load(types::I64, PACKED, self.cx, offset_of!(Context, processes) as i32);
        let pid = self.builder.ins().uextend(types::I64, pid);
        let entry = self.builder.ins().ishl_imm(pid, 2);
        let entry = self.builder.ins().iadd(table, entry);
        self.builder.ins().uload32(PACKED, entry, 0)
    }

    /// The channel that an expression names. No channel at all is a fault.
    pub(crate) fn channel(&mut self, scene: Scene, expr: &Expr) -> Known {
        if let Some(number) = self.constant(expr) {
            return match self.facts.global_channel(number) {
                Some((at, kind)) => {
                    Known::Kind(Channel { kind, number: self.int(number), at: self.word(at) })
                }
                None => {
                    let number = self.int(number);
                    self.check_channel(number);
                    Known::Number(number)
                }
            };
        }
        // An element of an array of channels that nobody writes to: the kind is known.
        if let Expr::Load(Lvalue { variable: VariableRef::Global(index), .. }) = expr
            && !self.facts.is_written(*index)
            && let Init::Channel(kind) = self.program.globals[*index as usize].init
        {
            let number = self.value(scene, expr);
            let first = self.facts.first_channel(*index);
            let (start, _) = self.facts.global_channel(first).expect("it is a global channel");
            let size = self.layout.empty_size(kind);
            let element = self.builder.ins().iadd_imm(number, -i64::from(first));
            let element = self.builder.ins().uextend(types::I64, element);
            let offset = self.builder.ins().imul_imm(element, size as i64);
            let at = self.builder.ins().iadd_imm(offset, start as i64);
            return Known::Kind(Channel { kind, number, at });
        }
        let number = self.value(scene, expr);
        self.check_channel(number);
        Known::Number(number)
    }

    /// Bails out unless there is a channel with this number.
    fn check_channel(&mut self, number: Value) {
        let index = self.builder.ins().iadd_imm(number, -1);
        let index = self.builder.ins().uextend(types::I64, index);
        let offset = offset_of!(Context, channel_count) as i32;
        let count = self.builder.ins().load(types::I64, PACKED, self.cx, offset);
        let outside = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, count);
        self.bail_if(outside);
    }

    /// Calls `each` once with the channel if its kind is known, else once for every kind it may be; after each, control
    /// must be somewhere it can go on from.
    pub(crate) fn for_each_kind(
        &mut self,
        scene: Scene,
        expr: &Expr,
        done: Block,
        mut each: impl FnMut(&mut Self, Channel),
    ) {
        match self.channel(scene, expr) {
            Known::Kind(channel) => {
                each(self, channel);
                self.builder.ins().jump(done, &[]);
            }
            Known::Number(number) => {
                let table = self.builder.ins().load(
                    types::I64,
                    PACKED,
                    self.cx,
                    offset_of!(Context, channels) as i32,
                );
                let index = self.builder.ins().iadd_imm(number, -1);
                let index = self.builder.ins().uextend(types::I64, index);
                let offset = self.builder.ins().imul_imm(index, size_of::<ChannelEntry>() as i64);
                let entry = self.builder.ins().iadd(table, offset);
                let at = self.builder.ins().uload32(PACKED, entry, offset_of!(ChannelEntry, at) as i32);
                let actual =
                    self.builder.ins().load(types::I32, PACKED, entry, offset_of!(ChannelEntry, kind) as i32);
                for index in 0..self.program.channels.len() as u32 {
                    let (this, other) = (self.block(), self.block());
                    let same = self.builder.ins().icmp_imm(IntCC::Equal, actual, i64::from(index));
                    self.builder.ins().brif(same, this, &[], other, &[]);
                    self.builder.switch_to_block(this);
                    each(self, Channel { kind: ChannelId(index), number, at });
                    self.builder.ins().jump(done, &[]);
                    self.builder.switch_to_block(other);
                }
                self.builder.ins().jump(done, &[]);
            }
        }
        self.builder.switch_to_block(done);
    }

    /// The number of messages in a channel.
    pub(crate) fn length(&mut self, state: Value, channel: Channel) -> Value {
        let at = self.builder.ins().iadd(state, channel.at);
        match self.layout.block(channel.kind).header {
            0 => self.int(0),
            1 => self.load(Width::Byte, at, 0),
            _ => self.load(Width::Long, at, 0),
        }
    }

    pub(crate) fn capacity(&self, kind: ChannelId) -> u32 {
        match self.program.channels[kind.index()].capacity {
            Capacity::Rendezvous => 0,
            Capacity::Bounded(n) => n,
            Capacity::Unbounded => unreachable!("such programs are not compiled"),
        }
    }

    fn query(&mut self, scene: Scene, query: ChannelQuery, channel: &Expr) -> Value {
        let result = self.builder.declare_var(types::I32);
        let zero = self.int(0);
        self.builder.def_var(result, zero);
        let done = self.block();
        self.for_each_kind(scene, channel, done, |this, channel| {
            let length = this.length(scene.state, channel);
            let capacity = this.capacity(channel.kind);
            let compare = |this: &mut Self, condition, with: u32| {
                let truth = this.builder.ins().icmp_imm(condition, length, i64::from(with));
                this.builder.ins().uextend(types::I32, truth)
            };
            let value = match query {
                ChannelQuery::Len => length,
                ChannelQuery::Empty => compare(this, IntCC::Equal, 0),
                ChannelQuery::NotEmpty => compare(this, IntCC::NotEqual, 0),
                // A rendez-vous channel is never full.
                ChannelQuery::Full if capacity == 0 => this.int(0),
                ChannelQuery::NotFull if capacity == 0 => this.int(1),
                ChannelQuery::Full => compare(this, IntCC::Equal, capacity),
                ChannelQuery::NotFull => compare(this, IntCC::NotEqual, capacity),
            };
            this.builder.def_var(result, value);
        });
        self.builder.use_var(result)
    }

    fn poll(
        &mut self,
        scene: Scene,
        channel: &Expr,
        patterns: &[Pattern],
        random: bool,
        ahead: u32,
    ) -> Value {
        let result = self.builder.declare_var(types::I32);
        let zero = self.int(0);
        self.builder.def_var(result, zero);
        let done = self.block();
        self.for_each_kind(scene, channel, done, |this, channel| {
            // Transitions that take words of several letters are rare.
            if this.capacity(channel.kind) == 0 || ahead > 0 {
                this.leave_to_interpreter();
                return;
            }
            let no = this.block();
            this.matching(scene, channel, patterns, random, no);
            let one = this.int(1);
            this.builder.def_var(result, one);
            this.builder.ins().jump(done, &[]);
            this.builder.switch_to_block(no);
        });
        self.builder.use_var(result)
    }

    /// The index of the message that a receive takes; goes to `none` if there is none.
    pub(crate) fn matching(
        &mut self,
        scene: Scene,
        channel: Channel,
        patterns: &[Pattern],
        random: bool,
        none: Block,
    ) -> Value {
        let fields: Vec<Type> = self.program.channels[channel.kind.index()].fields.clone();
        if patterns.len() > fields.len() {
            self.leave_to_interpreter();
            return self.word(0);
        }
        let block = self.layout.block(channel.kind);
        let length = self.length(scene.state, channel);
        let at = self.builder.ins().iadd(scene.state, channel.at);
        let some = self.block();
        self.builder.ins().brif(length, some, &[], none, &[]);
        self.builder.switch_to_block(some);
        // All of them before the first comparison: a fault counts even where an earlier field does not match.
        let wanted: Vec<Option<Value>> = patterns
            .iter()
            .map(|pattern| match pattern {
                Pattern::Match(expr) => Some(self.value(scene, expr)),
                Pattern::Bind(_) | Pattern::Any => None,
            })
            .collect();
        let matches = |this: &mut Self, message: Value, otherwise: Block| {
            let mut offset = 0;
            for (wanted, ty) in wanted.iter().zip(&fields) {
                if let Some(wanted) = *wanted {
                    let there = this.load(Width::of(*ty), message, offset);
                    let equal = this.builder.ins().icmp(IntCC::Equal, wanted, there);
                    let next = this.block();
                    this.builder.ins().brif(equal, next, &[], otherwise, &[]);
                    this.builder.switch_to_block(next);
                }
                offset += ty.size() as usize;
            }
        };
        if !random || self.capacity(channel.kind) <= 1 {
            let message = self.builder.ins().iadd_imm(at, block.header as i64);
            matches(self, message, none);
            return self.word(0);
        }
        let index = self.builder.declare_var(types::I64);
        let zero = self.word(0);
        self.builder.def_var(index, zero);
        let length = self.builder.ins().uextend(types::I64, length);
        let (head, body, next, found) = (self.block(), self.block(), self.block(), self.block());
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let current = self.builder.use_var(index);
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, current, length);
        self.builder.ins().brif(inside, body, &[], none, &[]);
        self.builder.switch_to_block(body);
        let offset = self.builder.ins().imul_imm(current, block.message as i64);
        let message = self.builder.ins().iadd(at, offset);
        let message = self.builder.ins().iadd_imm(message, block.header as i64);
        matches(self, message, next);
        self.builder.ins().jump(found, &[]);
        self.builder.switch_to_block(next);
        let more = self.builder.ins().iadd_imm(current, 1);
        self.builder.def_var(index, more);
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(found);
        self.builder.use_var(index)
    }
}

fn comparison(operator: Binary) -> Option<IntCC> {
    Some(match operator {
        Binary::Eq => IntCC::Equal,
        Binary::Ne => IntCC::NotEqual,
        Binary::Lt => IntCC::SignedLessThan,
        Binary::Le => IntCC::SignedLessThanOrEqual,
        Binary::Gt => IntCC::SignedGreaterThan,
        Binary::Ge => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}
