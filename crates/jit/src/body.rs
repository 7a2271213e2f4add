//! Deterministic sequences: inner locations as blocks of one function, changing the state in place.

use crate::translate::{Making, Scene, Translator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, types};
use elnath_program::ir::{Command, CommandId, Guard, Loc, Sync};
use std::collections::HashMap;

/// The longest that a deterministic sequence may take before the interpreter looks whether it ever ends.
const MOST_BODY_STEPS: i64 = 10_000;

impl Translator<'_, '_> {
    /// Goes to `yes` if some command of an inner location can be executed.
    pub(crate) fn some_executable(&mut self, scene: Scene, at: Loc, yes: Block, no: Block) {
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
    pub(crate) fn executable(&mut self, scene: Scene, command: &Command, yes: Block, no: Block) {
        let may = self.block();
        self.guard(scene, command, may, no);
        self.builder.switch_to_block(may);
        match &command.sync {
            Sync::Gate { .. } => self.leave_to_interpreter(),
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

    /// A deterministic sequence, from an inner location to its exit.
    pub(crate) fn body(&mut self, making: Making, entry: Loc, exit: Loc) {
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
    pub(crate) fn inner_location(
        &mut self,
        making: Making,
        at: Loc,
        block: &mut dyn FnMut(&mut Self, Loc) -> Block,
    ) {
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
    pub(crate) fn inner_command(
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
            Sync::Gate { .. } => self.leave_to_interpreter(),
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
}
