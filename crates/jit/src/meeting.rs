//! Commands at gates: how a process begins joint steps, and how it takes part in them.
//!
//! Who takes part is found by [`crate::joint`], which calls the functions that are made here, one process at a time.

use crate::expression::PACKED;
use crate::runtime::{Context, MOST_VALUES};
use crate::translate::{Making, Parameters, Scene, Translator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, Value, types};
use elnath_program::ir::{
    Command, CommandId, Effect, Expr, GateId, Loc, Lvalue, Pattern, ProcessId, Sync, VariableRef,
};
use std::mem::offset_of;

const GIVEN: usize = offset_of!(Context, given);

const fn offered(offer: usize) -> usize {
    offset_of!(Context, offered) + 4 * offer
}

impl Translator<'_, '_> {
    /// All joint steps that a process begins with a command whose guard is true.
    pub(crate) fn meets(&mut self, given: Parameters, id: CommandId) {
        let kind = self.kind(given.scene.process);
        let Sync::Gate { gate, offers, .. } = &kind.commands[id.index()].sync else { return };
        if !self.facts.begins(given.scene.process, *gate) {
            return;
        }
        if offers.len() > MOST_VALUES {
            self.leave_to_interpreter();
            return;
        }
        let mut known = 0;
        for (index, offer) in offers.iter().enumerate() {
            if let Pattern::Match(expr) = offer {
                let value = self.offered_value(given.scene, *gate, index, expr);
                self.builder.ins().store(PACKED, value, self.cx, offered(index) as i32);
                known |= 1 << index;
            }
        }
        let known = self.int(known);
        self.builder.ins().store(PACKED, known, self.cx, GIVEN as i32);
        let tag = self.tag(given.scene.pid, id);
        let command = self.word(id.index());
        let arguments = [self.cx, given.scene.state, given.len, given.scene.pid, tag, command];
        let moves = self.call(self.helpers.meet, &arguments);
        self.count_moves(moves);
        // Whoever gave up said why.
        let why = self.builder.ins().load(types::I32, PACKED, self.cx, offset_of!(Context, bail) as i32);
        let next = self.block();
        self.builder.ins().brif(why, self.end, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    fn offered_value(&mut self, scene: Scene, gate: GateId, index: usize, expr: &Expr) -> Value {
        let value = self.value(scene, expr);
        self.truncate(self.program.gates[gate.index()].offers[index], value)
    }

    /// Whether a process takes part with a command: it may move, its guard is true, and what it gives agrees with what others
    /// gave.
    pub(crate) fn takes_part(&mut self, given: Parameters, command: &Command) {
        let Sync::Gate { gate, offers, .. } = &command.sync else { return };
        self.provided(given.scene);
        let yes = self.block();
        self.guard(given.scene, command, yes, self.end);
        self.builder.switch_to_block(yes);
        if offers.len() > MOST_VALUES {
            self.leave_to_interpreter();
            return;
        }
        for (index, offer) in offers.iter().enumerate() {
            let Pattern::Match(expr) = offer else { continue };
            let value = self.offered_value(given.scene, *gate, index, expr);
            let known = self.builder.ins().load(types::I32, PACKED, self.cx, GIVEN as i32);
            let bit = self.builder.ins().band_imm(known, 1 << index);
            let (compare, give, next) = (self.block(), self.block(), self.block());
            self.builder.ins().brif(bit, compare, &[], give, &[]);
            self.builder.switch_to_block(compare);
            let wanted = self.builder.ins().load(types::I32, PACKED, self.cx, offered(index) as i32);
            let same = self.builder.ins().icmp(IntCC::Equal, wanted, value);
            self.builder.ins().brif(same, next, &[], self.end, &[]);
            self.builder.switch_to_block(give);
            self.builder.ins().store(PACKED, value, self.cx, offered(index) as i32);
            let known = self.builder.ins().bor_imm(known, 1 << index);
            self.builder.ins().store(PACKED, known, self.cx, GIVEN as i32);
            self.builder.ins().jump(next, &[]);
            self.builder.switch_to_block(next);
        }
        let one = self.word(1);
        self.count_moves(one);
    }

    /// Stores the values of a joint step.
    pub(crate) fn takes_values(&mut self, given: Parameters, offers: &[Pattern]) {
        for (index, offer) in offers.iter().enumerate().take(MOST_VALUES) {
            if let Pattern::Bind(lvalue) = offer {
                let value = self.builder.ins().load(types::I32, PACKED, self.cx, offered(index) as i32);
                self.assign(given.scene, lvalue, value);
            }
        }
    }

    /// Whether the predicate of a command is true.
    pub(crate) fn predicate(&mut self, given: Parameters, when: &Expr) {
        let holds = self.truth(given.scene, when);
        let holds = self.builder.ins().uextend(types::I64, holds);
        self.count_moves(holds);
    }

    /// What a participant does besides. Processes that are created are left to the interpreter.
    pub(crate) fn joint_effects(&mut self, given: Parameters, effects: &[Effect]) {
        if effects.iter().any(|effect| matches!(effect, Effect::Run { .. })) {
            self.leave_to_interpreter();
            return;
        }
        let len = self.builder.declare_var(types::I64);
        self.builder.def_var(len, given.len);
        self.effects(Making { scene: given.scene, len, counts: None, noted: true }, effects);
    }

    /// Puts the first process of a kind at a location.
    pub(crate) fn place(&mut self, scene: Scene, process: ProcessId, at: Loc, arguments: &[Expr]) {
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(scene, argument)).collect();
        let done = self.block();
        let base = match self.facts.lies_at(process) {
            Some(base) => self.word(base),
            None => {
                let kind = self.word(process.index());
                let base = self.call(self.helpers.first_of, &[self.cx, scene.state, kind]);
                let there = self.block();
                self.builder.ins().brif(base, there, &[], done, &[]);
                self.builder.switch_to_block(there);
                base
            }
        };
        let frame = self.builder.ins().iadd(scene.state, base);
        let there = Scene { process, state: scene.state, frame, pid: scene.pid };
        self.go_to(there, at);
        let own = &self.layout.frames[process.index()];
        let kind = self.kind(process);
        let zero = self.int(0);
        for (index, (slot, variable)) in own.slots.iter().zip(&kind.locals).enumerate() {
            if index < values.len() && variable.dims.is_empty() {
                continue;
            }
            for element in 0..variable.len() as usize {
                self.store(slot.width, zero, frame, slot.offset + element * slot.width.size());
            }
        }
        for (local, value) in (0..).zip(values) {
            let lvalue = Lvalue { variable: VariableRef::Local(local), indices: Vec::new() };
            self.assign(there, &lvalue, value);
        }
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
    }
}
