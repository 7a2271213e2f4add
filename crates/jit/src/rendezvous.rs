//! Rendez-vous: the sender says what it sends, and the code of every other process looks whether it receives that.

use crate::expression::{Channel, PACKED};
use crate::runtime::{Context, MOST_VALUES, Sender};
use crate::translate::{Parameters, Scene, Translator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value, types};
use elnath_program::ir::{Command, CommandId, Expr, Guard, Loc, Pattern, Sync, Type};
use elnath_program::layout::{LOCATION, Width};
use std::mem::offset_of;

impl<'a> Translator<'a, '_> {
    /// The sender's half of a rendez-vous: says what is sent, and lets all others look whether they receive it.
    pub(crate) fn send_at_rendezvous(
        &mut self,
        given: Parameters,
        id: CommandId,
        channel: Channel,
        fields: &[Expr],
    ) {
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
        let channels = match &command.sync {
            Sync::Send { channel, .. } => self.facts.channels(self.program, channel),
            _ => u64::MAX,
        };
        let channels = self.builder.ins().iconst(types::I64, channels as i64);
        let arguments = [self.cx, scene.state, given.len, scene.pid, channels];
        let moves = self.call(self.helpers.rendezvous, &arguments);
        self.count_moves(moves);
    }

    pub(crate) fn set_sender(&mut self, value: Value, field: usize) {
        let offset = (offset_of!(Context, sender) + field) as i32;
        self.builder.ins().store(PACKED, value, self.cx, offset);
    }

    pub(crate) fn sender(&mut self, ty: cranelift_codegen::ir::Type, field: usize) -> Value {
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
                self.end_if_moved(before);
            }
        }
    }

    /// Goes to `no` unless the command can receive what the sender sends.
    pub(crate) fn receives(&mut self, scene: Scene, command: &Command, no: Block) {
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
    pub(crate) fn receive_in_body(
        &mut self,
        given: Parameters,
        id: CommandId,
        entry: Loc,
        exit: Loc,
        next: Block,
    ) {
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
    pub(crate) fn receive(
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
        let making = self.copy_for(given, outer, tag);
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
