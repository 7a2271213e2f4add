//! Messages into channels and out of them.

use crate::expression::{Channel, PACKED};
use crate::runtime::{Context, MOST_VALUES};
use crate::translate::{Scene, Translator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value, types};
use elnath_program::ir::{Expr, Pattern, Type};
use elnath_program::layout::Width;
use std::mem::offset_of;

impl<'a> Translator<'a, '_> {
    /// Whether a receive from this channel is one half of a rendez-vous, which is not executable alone.
    pub(crate) fn is_meeting(&self, channel: Channel, patterns: &[Pattern]) -> bool {
        let fields = self.program.channels[channel.kind.index()].fields.len();
        self.capacity(channel.kind) == 0 && patterns.len() <= fields
    }

    pub(crate) fn has_room(&mut self, state: Value, channel: Channel, room: Block, full: Block) {
        let length = self.length(state, channel);
        let capacity = i64::from(self.capacity(channel.kind));
        let free = self.builder.ins().icmp_imm(IntCC::UnsignedLessThan, length, capacity);
        self.builder.ins().brif(free, room, &[], full, &[]);
    }

    /// Puts a message into a channel that has room.
    pub(crate) fn put(&mut self, scene: Scene, channel: Channel, fields: &[Expr], sorted: bool) {
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

    pub(crate) fn sorted_position(
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
    pub(crate) fn take(
        &mut self,
        scene: Scene,
        channel: Channel,
        patterns: &[Pattern],
        copy: bool,
        index: Value,
    ) {
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
}
