//! A program watched by a claim: Promela's `never`.
//!
//! A claim is an automaton that moves before every step of the system, on the state it finds: from (c, s) it goes to
//! some c' whose guard is true in s, and then the system goes from s to s'. Where the claim cannot move, the run is of no
//! interest to it and is not followed. When it reaches its end, the run it describes, one that must never happen, has
//! happened. Deadlocks are not looked for: a claim cuts runs off.
//!
//! The state is that of the system with the claim's location appended.

use super::{Interpreter, PID_BITS, Walker};
use crate::analysis::{Operation, Purpose, operations};
use crate::ir::{Command, CommandId, Guard, Loc, ProcessType};
use crate::layout::Tables;
use elnath_kernel::event::{Disabled, Field, Operand, StatePart};
use elnath_kernel::{Action, Describe, Event, Fault, Propositions, Stepper, Successors, System, Transition};
use std::sync::Arc;

/// A program and the claim that watches it. See the [module](self).
pub struct Claimed {
    system: Arc<Interpreter>,
    claim: ProcessType,
}

/// The claim's move lies above the system's transition. This number of a transition means that the claim has ended.
const CLAIM_SHIFT: u32 = super::OUTCOME_BITS + super::COMMAND_BITS + PID_BITS;
const CLAIM_BITS: u32 = 64 - CLAIM_SHIFT - 1;
const ENDED: u64 = (1 << CLAIM_SHIFT) - 1;

impl Claimed {
    /// Watches `system` with `claim`, whose commands have guards and nothing else.
    ///
    /// # Errors
    /// A command of the claim that does more than look.
    pub fn new(system: Arc<Interpreter>, claim: ProcessType) -> Result<Self, String> {
        let acts = |command: &&Command| {
            operations(command).iter().any(|operation| match operation {
                Operation::Evaluate(_, Purpose::Guard | Purpose::Printed) | Operation::Print => false,
                // Where a claim ends, it was matched.
                Operation::End => false,
                _ => true,
            })
        };
        if let Some(command) = claim.commands.iter().find(acts) {
            return Err(format!("a claim may only look at the system: {}", command.text));
        }
        if claim.commands.len() >= 1 << CLAIM_BITS {
            return Err("the claim has too many statements".to_owned());
        }
        Ok(Self { system, claim })
    }

    fn split(state: &[u8]) -> (&[u8], Loc) {
        let (system, claim) = state.split_at(state.len() - 2);
        (system, Loc(u32::from(u16::from_le_bytes([claim[0], claim[1]]))))
    }

    fn join(system: &mut Vec<u8>, claim: Loc) {
        system.extend_from_slice(&(claim.0 as u16).to_le_bytes());
    }

    fn ends(&self, at: Loc) -> bool {
        self.claim.leaving(at).any(|(_, command)| command.guard == Guard::Exit)
    }
}

fn encode(command: CommandId, t: Transition) -> Transition {
    Transition(u64::from(command.0) << CLAIM_SHIFT | t.0)
}

fn decode(t: Transition) -> (CommandId, Transition) {
    (CommandId((t.0 >> CLAIM_SHIFT) as u32), Transition(t.0 & ENDED))
}

impl System for Claimed {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(ClaimedWalker {
            system: self,
            walker: self.system.walker(),
            tables: Tables::default(),
            moves: Vec::new(),
            enabled: Vec::new(),
        })
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    elnath_kernel::hand_on! { system: bytes }
}

impl Describe for Claimed {
    fn show_state(&self, state: &[u8]) -> String {
        let (system, at) = Self::split(state);
        format!("{}, {}@{}", self.system.show_state(system), self.claim.name, at.0)
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        let (system, at) = Self::split(state);
        let mut parts = self.system.state_parts(system);
        let (owner, value) = (self.claim.name.clone(), format!("at location {}", at.0));
        parts.push(StatePart { owner, name: String::new(), value });
        parts
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        let (system, at) = Self::split(state);
        let mut fields = self.system.fields(system);
        fields.push(super::fields::of_observer(&self.claim, at));
        fields
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let (command, t) = decode(t);
        let watched = &self.claim.commands[command.index()].text;
        if t.0 == ENDED {
            return format!("{}: {watched}", self.claim.name);
        }
        let (system, _) = Self::split(state);
        format!("{} [{}: {watched}]", self.system.show_transition(system, t), self.claim.name)
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let (command, t) = decode(t);
        let text = self.claim.commands[command.index()].text.clone();
        let mut events =
            vec![Event { actor: self.claim.name.clone(), changes: Some(Vec::new()), ..Event::plain(text) }];
        if t.0 != ENDED {
            events.extend(self.system.events(Self::split(state).0, t));
        }
        events
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        self.system.actors(Self::split(state).0)
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.system.waiting(Self::split(state).0)
    }

    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        self.system.disabled(Self::split(state).0)
    }

    elnath_kernel::hand_on! { system: action_name, action_place }

    fn fault_name(&self, fault: Fault) -> String {
        if fault == CLAIM_ENDED {
            return format!("the claim `{}` has reached its end", self.claim.name);
        }
        self.system.fault_name(fault)
    }

    fn gave_up(&self, fault: Fault) -> bool {
        fault != CLAIM_ENDED && self.system.gave_up(fault)
    }
}

/// No command of a program has this number.
const CLAIM_ENDED: Fault = Fault(u32::MAX - 3);

struct ClaimedWalker<'a> {
    system: &'a Claimed,
    walker: Walker<'a>,
    tables: Tables,
    moves: Vec<CommandId>,
    enabled: Vec<Transition>,
}

impl ClaimedWalker<'_> {
    /// The claim's moves in a state of the system.
    fn claim_moves(&mut self, state: &[u8], at: Loc) {
        self.moves.clear();
        self.tables.read(&self.system.system.layout, state);
        let view = self.system.system.view(state, &self.tables, usize::MAX, false);
        for (id, command) in self.system.claim.leaving(at) {
            let holds = match &command.guard {
                Guard::Always => true,
                Guard::When(expr) => view.is_true(expr) == Ok(true),
                Guard::Else => self.moves.is_empty(),
                Guard::Body { .. } | Guard::Exit => false,
            };
            if holds {
                self.moves.push(id);
            }
        }
    }
}

impl Stepper for ClaimedWalker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.walker.initial(out);
        Claimed::join(out, self.system.claim.entry);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        let (system, at) = Claimed::split(state);
        self.claim_moves(system, at);
        if self.moves.is_empty() {
            return;
        }
        self.walker.enabled(system, &mut self.enabled);
        for &id in &self.moves {
            if self.system.ends(self.system.claim.commands[id.index()].target) {
                out.push(encode(id, Transition(ENDED)));
                continue;
            }
            out.extend(self.enabled.iter().map(|&t| encode(id, t)));
        }
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (system, _) = Claimed::split(state);
        let (command, t) = decode(t);
        let target = self.system.claim.commands[command.index()].target;
        let done = if t.0 == ENDED {
            out.clear();
            out.extend_from_slice(system);
            Err(CLAIM_ENDED)
        } else {
            self.walker.fire(system, t, out)
        };
        Claimed::join(out, target);
        done
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        let (_, t) = decode(t);
        if t.0 == ENDED { Action(0) } else { self.walker.action(Claimed::split(state).0, t) }
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn transition_bits(&self) -> u32 {
        CLAIM_SHIFT + CLAIM_BITS
    }

    elnath_kernel::facets! { mine: propositions; below walker: tally; none: acceptance, processes }
}

impl Propositions for ClaimedWalker<'_> {
    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.walker.valuation(Claimed::split(state).0)
    }

    fn proposition_fault(&mut self, state: &[u8], number: u32) -> Option<Fault> {
        self.walker.proposition_fault(Claimed::split(state).0, number)
    }

    fn operands(&mut self, state: &[u8], number: u32) -> Vec<Operand> {
        self.walker.operands(Claimed::split(state).0, number)
    }

    elnath_kernel::hand_on! { walker: names, fallible }
}
