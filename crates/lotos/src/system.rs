//! A specification as a system to search.
//!
//! A state is the bytes of a term in normal form (see `term`). A transition is its index among the moves of its state. Labels are
//! written as CAESAR prints them: the gate in capitals, then the values, as in `GET !0`; the internal action is `i`, termination `exit`.
//!
//! An evaluation that runs into a fault where no action is known yet (the value of an offer) is a step of its own, labelled
//! `fault`.

use crate::code::{CodeId, CodeKind, Compiled, OfferCode};
use crate::data::Val;
use crate::identity::{Memory, StateIdentity};
use crate::moves::{EXIT, Engine, FAULT, Faults, INTERNAL, Offer, Step};
use crate::rewriting::Memo;
use crate::term::{BytesHasher, ENDED, Gate, Node, NodeId, Nodes, STOP};
use crate::values::Values;
use elnath_kernel::event::{Disabled, Field, Obstacle, Place, StatePart, fields_of};
use elnath_kernel::{Action, Describe, Event, Fault, Names, Stepper, Successors, System, Tally, Transition};
use elnath_source::{Message, codes};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A specification that can be walked. See the [module](self).
pub struct LotosSystem {
    pub(crate) spec: Compiled,
    initial: Vec<u8>,
    names: Names,
    faults: Faults,
}

impl LotosSystem {
    /// # Errors
    /// The fault that making the initial state runs into.
    pub(crate) fn new(spec: Compiled) -> Result<Self, Box<Message>> {
        let faults = Faults::default();
        let initial = {
            let mut engine = Engine::new(Nodes::new(&spec), &faults);
            let root = engine.initial().map_err(|trouble| {
                let text = format!("{} while the initial state is made", trouble.text);
                let code = engine.culprit.unwrap_or(spec.processes[0].body);
                Box::new(spec.sources.error(text, spec.codes[code as usize].span).code(codes::FAULT_AT_START))
            })?;
            engine.nodes.bytes(root).to_vec()
        };
        Ok(Self { spec, initial, names: Names::new(), faults })
    }

    /// The same specification, with other values as part of its states.
    ///
    /// # Errors
    /// The fault that making the initial state runs into.
    pub fn with_identity(self, identity: StateIdentity) -> Result<Self, Box<Message>> {
        let mut spec = self.spec;
        spec.memory = (identity == StateIdentity::Caesar90).then(|| Memory::of(&spec.processes));
        Self::new(spec)
    }

    /// What was not computed to its end so far, by any stepper.
    pub fn given_up(&self) -> Vec<String> {
        (0..self.faults.given_up.len() as u32)
            .map(|number| self.faults.given_up.text(Action(number)))
            .collect()
    }

    /// The names of the specification's gates, as labels have them.
    pub fn gates(&self) -> Vec<String> {
        let gates = &self.spec.processes[0].gates[..self.spec.gates() as usize];
        gates.iter().map(|gate| gate.to_uppercase()).collect()
    }

    /// The names of its processes, the specification's own first.
    pub fn processes(&self) -> Vec<&str> {
        self.spec.processes.iter().map(|process| &*process.name).collect()
    }

    fn walker(&self) -> Walker<'_> {
        Walker {
            system: self,
            engine: self.engine(),
            steps: Vec::new(),
            values: Vec::new(),
            steps_of: None,
            labels: Labels::default(),
        }
    }

    /// The rules on terms, for one worker.
    pub(crate) fn engine(&self) -> Engine<'_> {
        Engine::new(Nodes::new(&self.spec), &self.faults)
    }

    /// The bytes of the initial term.
    pub(crate) fn initial_bytes(&self) -> &[u8] {
        &self.initial
    }

    /// Whether a state has a step with this label to another one, or else to a fault.
    pub(crate) fn can_step(&self, state: &[u8], label: &str, next: Option<&[u8]>) -> bool {
        let mut walker = self.walker();
        walker.find_steps(state);
        (0..walker.steps.len()).any(|at| {
            let Step { target, fault, .. } = walker.steps[at];
            let leads = match next {
                None => fault.is_some(),
                Some(next) => fault.is_none() && walker.engine.nodes.bytes(target) == next,
            };
            leads && self.names.text(walker.label(at)) == label
        })
    }

    /// The steps of a term that are faults, with their labels.
    pub(crate) fn faults_of(&self, engine: &mut Engine<'_>, node: NodeId) -> Vec<(Action, u32)> {
        let mut steps = Vec::new();
        engine.steps_of(node, &mut steps);
        let mut labels = Labels::default();
        let mut found = Vec::new();
        for step in &steps {
            let Some(fault) = step.fault else { continue };
            let values: Vec<Val> = step
                .values
                .iter()
                .filter_map(|offer| match *offer {
                    Offer::Value(value) => Some(value),
                    Offer::Any(_) => None,
                })
                .collect();
            let gate = if values.len() < step.values.len() { FAULT } else { step.gate };
            let values = if gate == FAULT { &[] } else { &values[..] };
            found.push((labels.action(self, &engine.nodes.values, gate, values), fault));
        }
        found
    }

    /// The label of a fault where no action is known.
    pub(crate) fn fault_label(&self) -> Action {
        self.names.intern("fault")
    }

    /// The action with this label.
    pub(crate) fn intern(&self, label: &str) -> Action {
        self.names.intern(label)
    }

    /// Whom a call calls, and where.
    pub(crate) fn called(&self, code: CodeId) -> (String, Place) {
        let CodeKind::Call(process, ..) = &self.spec.codes[code as usize].kind else {
            unreachable!("this is a call")
        };
        (self.spec.processes[*process as usize].name.to_string(), self.place(code).1)
    }

    /// One event for each action in the text that takes part in a step, the first with the label.
    pub(crate) fn events_of(&self, label: &str, by: &[CodeId]) -> Vec<Event> {
        let event = |(number, &code): (usize, &CodeId)| {
            let (actor, place) = self.place(code);
            let hidden = match &self.spec.codes[code as usize].kind {
                CodeKind::Prefix { gate: Some(slot), .. } if label == "i" => Some(self.formal(code, *slot)),
                CodeKind::Exit(_) if label == "i" => Some("exit".to_owned()),
                _ => None,
            };
            let text = hidden.map_or_else(|| label.to_owned(), |hidden| format!("{label} ({hidden})"));
            // The whole state is shown once, after the last of them.
            let changes = (number + 1 < by.len()).then(Vec::new);
            Event { actor, place: Some(place), changes, ..Event::plain(text) }
        };
        let events: Vec<Event> = by.iter().enumerate().map(event).collect();
        if events.is_empty() { vec![Event::plain(label.to_owned())] } else { events }
    }

    /// A gate of the specification, as it is printed.
    fn gate(&self, gate: Gate) -> Option<String> {
        let name = self.spec.processes[0].gates.get(gate as usize)?;
        (gate < self.spec.gates()).then(|| name.to_uppercase())
    }

    /// What a gate is called in the text of a process.
    fn formal(&self, code: CodeId, slot: u32) -> String {
        let process = self.spec.codes[code as usize].process;
        self.spec.processes[process as usize].gates[slot as usize].to_uppercase()
    }

    /// Where a piece of code is: process and place.
    fn place(&self, code: CodeId) -> (String, Place) {
        let own = &self.spec.codes[code as usize];
        let (file, line) = self.spec.sources.line(own.span);
        let name = self.spec.processes[own.process as usize].name.to_string();
        (name, Place { file: file.to_owned(), line })
    }
}

impl System for LotosSystem {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(self.walker())
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        let sources: usize = self.spec.sources.0.iter().map(|source| source.text().len()).sum();
        let remembered = if self.spec.data.remembers() { Memo::BYTES } else { 0 };
        // Code and rules take a few times as much as the text.
        remembered
            + 8 * sources
            + self.names.bytes()
            + self.faults.real.bytes()
            + self.faults.given_up.bytes()
    }
}

struct Walker<'a> {
    system: &'a LotosSystem,
    engine: Engine<'a>,
    steps: Vec<Step>,
    /// The state whose steps these are.
    steps_of: Option<Vec<u8>>,
    labels: Labels,
    values: Vec<Val>,
}

/// The actions of the labels that one worker has met, by gate and values.
#[derive(Default)]
pub(crate) struct Labels {
    known: HashMap<Box<[Val]>, Action, BuildHasherDefault<BytesHasher>>,
    key: Vec<Val>,
}

impl Labels {
    /// Forgets all: values are no longer what they were.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }

    pub(crate) fn action(
        &mut self,
        system: &LotosSystem,
        all: &Values,
        gate: Gate,
        values: &[Val],
    ) -> Action {
        self.key.clear();
        self.key.push(gate);
        self.key.extend_from_slice(values);
        if let Some(&action) = self.known.get(self.key.as_slice()) {
            return action;
        }
        let mut text = match gate {
            INTERNAL => "i".to_owned(),
            EXIT => "exit".to_owned(),
            FAULT => "fault".to_owned(),
            gate => system.gate(gate).expect("what is hidden has become internal"),
        };
        for &value in values {
            text.push_str(" !");
            all.show(&system.spec.data, value, &mut text);
        }
        let action = system.names.intern(&text);
        self.known.insert(self.key.as_slice().into(), action);
        action
    }
}

impl Walker<'_> {
    fn find_steps(&mut self, state: &[u8]) {
        if self.steps_of.as_deref() == Some(state) {
            return;
        }
        let mut kept = self.steps_of.take().unwrap_or_default();
        if self.engine.is_full() {
            self.engine.forget();
            self.labels.clear();
        }
        self.engine.steps(state, &mut self.steps);
        kept.clear();
        kept.extend_from_slice(state);
        self.steps_of = Some(kept);
    }

    fn label(&mut self, at: usize) -> Action {
        let Step { gate, values, .. } = &self.steps[at];
        self.values.clear();
        self.values.extend(values.iter().map(|offer| match *offer {
            Offer::Value(value) => value,
            Offer::Any(_) => unreachable!("open offers are enumerated"),
        }));
        self.labels.action(self.system, &self.engine.nodes.values, *gate, &self.values)
    }

    /// What is active in a term, and what it waits for: leaves with the place of each.
    fn leaves(&self, node: NodeId, out: &mut Vec<NodeId>) {
        match self.engine.nodes.get(node) {
            Node::Stop | Node::Ended => {}
            Node::Leaf { .. } => out.push(node),
            Node::Choice(all) => all.iter().for_each(|&one| self.leaves(one, out)),
            Node::Parallel(_, left, right) | Node::Disable(left, right) => {
                self.leaves(*left, out);
                self.leaves(*right, out);
            }
            Node::Hide(_, inner) | Node::Rename(_, inner) | Node::Enable { left: inner, .. } => {
                self.leaves(*inner, out);
            }
        }
    }

    /// The names of gates; a hidden one is called what the first action below calls it that uses it.
    fn gates(&self, gates: &[Gate], node: NodeId) -> String {
        let mut leaves = Vec::new();
        self.leaves(node, &mut leaves);
        let name = |&gate: &Gate| {
            let named = |&leaf: &NodeId| {
                let Node::Leaf { code, gates, .. } = self.engine.nodes.get(leaf) else { return None };
                let at = gates.iter().position(|&other| other == gate)?;
                Some(self.system.formal(*code, self.system.spec.codes[*code as usize].gates[at]))
            };
            let name = self.system.gate(gate).or_else(|| leaves.iter().find_map(named));
            name.unwrap_or_else(|| "..".to_owned())
        };
        gates.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// A term for people: places in the text, joined by the operators that are active.
    fn show(&self, node: NodeId, out: &mut String) {
        let (system, nodes) = (self.system, &self.engine.nodes);
        let two = |left: NodeId, operator: &str, right: NodeId, out: &mut String| {
            out.push('(');
            self.show(left, out);
            out.push_str(operator);
            self.show(right, out);
            out.push(')');
        };
        match nodes.get(node) {
            Node::Stop => out.push_str("stop"),
            Node::Ended => out.push_str("ended"),
            Node::Leaf { code, values, .. } => {
                let (process, place) = system.place(*code);
                out.push_str(&format!("{process}:{}", place.line));
                let used = nodes.used(*code, values);
                for (number, &(slot, value)) in used.iter().enumerate() {
                    out.push_str(if number == 0 { "(" } else { ", " });
                    out.push_str(&format!("{}=", self.variable(*code, slot)));
                    nodes.values.show(&system.spec.data, value, out);
                }
                if !used.is_empty() {
                    out.push(')');
                }
            }
            Node::Choice(all) => {
                for (number, &one) in all.iter().enumerate() {
                    out.push_str(if number == 0 { "(" } else { " [] " });
                    self.show(one, out);
                }
                out.push(')');
            }
            Node::Parallel(sync, left, right) => {
                let gates = self.gates(sync, node);
                let operator = if gates.is_empty() { " ||| ".to_owned() } else { format!(" |[{gates}]| ") };
                two(*left, &operator, *right, out);
            }
            Node::Hide(own, body) => {
                out.push_str(&format!("hide {} in ", self.gates(own, *body)));
                self.show(*body, out);
            }
            Node::Rename(pairs, body) => {
                let outside: Vec<Gate> = pairs.iter().map(|&(_, outside)| outside).collect();
                let own: Vec<Gate> = pairs.iter().map(|&(own, _)| own).collect();
                let (own, outside) = (self.gates(&own, *body), self.gates(&outside, node));
                out.push_str(&format!("rename {own} to {outside} in "));
                self.show(*body, out);
            }
            Node::Enable { left, code, .. } => {
                self.show(*left, out);
                let (process, place) = system.place(*code);
                out.push_str(&format!(" >> {process}:{}", place.line));
            }
            Node::Disable(left, right) => two(*left, " [> ", *right, out),
        }
    }

    fn variable(&self, code: CodeId, slot: u32) -> &str {
        let spec = &self.system.spec;
        &spec.processes[spec.codes[code as usize].process as usize].variables[slot as usize].0
    }

    /// What a leaf offers, with its values.
    fn action_text(&mut self, leaf: NodeId) -> String {
        let Node::Leaf { code, gates, values } = self.engine.nodes.get(leaf).clone() else {
            return String::new();
        };
        let spec = &self.system.spec;
        let env = self.engine.nodes.env(code, &gates, &values);
        let all = &mut self.engine.nodes.values;
        let mut offers = |offers: &[OfferCode], out: &mut String| {
            for offer in offers {
                match offer {
                    OfferCode::Send(term) => match all.eval(&spec.data, term, &env.values) {
                        Ok(value) => {
                            out.push_str(" !");
                            all.show(&spec.data, value, out);
                        }
                        Err(_) => out.push_str(" !.."),
                    },
                    OfferCode::Receive(variable, sort) => {
                        let name = variable.map(|slot| {
                            let process = &spec.processes[spec.codes[code as usize].process as usize];
                            format!("{} : ", process.variables[slot as usize].0)
                        });
                        let sort = &spec.data.sorts[*sort as usize].name;
                        out.push_str(&format!(" ?{}{sort}", name.unwrap_or_default()));
                    }
                }
            }
        };
        let mut text = String::new();
        match &spec.codes[code as usize].kind {
            CodeKind::Exit(own) => {
                text.push_str("exit");
                offers(own, &mut text);
            }
            CodeKind::Prefix { gate, offers: own, .. } => {
                let gate = gate.as_ref().map(|slot| {
                    let gate = self.system.gate(env.gates[*slot as usize]);
                    gate.unwrap_or_else(|| self.system.formal(code, *slot))
                });
                text.push_str(gate.as_deref().unwrap_or("i"));
                offers(own, &mut text);
            }
            CodeKind::Call(process, ..) => {
                text.push_str(&format!("calls {}", spec.processes[*process as usize].name));
            }
            CodeKind::ChoiceValues(slots, _) => {
                let process = &spec.processes[spec.codes[code as usize].process as usize];
                let variable = |&slot: &u32| {
                    let (name, sort) = &process.variables[slot as usize];
                    format!("{name} : {}", spec.data.sorts[*sort as usize].name)
                };
                let variables: Vec<String> = slots.iter().map(variable).collect();
                text.push_str(&format!("choice {}", variables.join(", ")));
            }
            _ => unreachable!("other code is unfolded"),
        }
        text
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.system.initial);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.find_steps(state);
        out.clear();
        out.extend((0..self.steps.len() as u64).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.find_steps(state);
        let step = &self.steps[t.0 as usize];
        out.clear();
        out.extend_from_slice(self.engine.nodes.bytes(step.target));
        step.fault.map_or(Ok(()), |fault| Err(Fault(fault)))
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.find_steps(state);
        out.clear();
        for (at, step) in self.steps.iter().enumerate() {
            out.push(Transition(at as u64), self.engine.nodes.bytes(step.target), step.fault.map(Fault));
        }
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.find_steps(state);
        self.label(t.0 as usize)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.engine.nodes.decode(state) == ENDED
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { mine: tally; none: propositions, acceptance, processes }
}

impl Tally for Walker<'_> {
    fn work(&self) -> u64 {
        self.engine.work + self.engine.nodes.values.steps
    }

    /// Labels are not known before they happen.
    fn unfired(&self) -> Vec<Action> {
        Vec::new()
    }
}

impl Describe for LotosSystem {
    fn show_state(&self, state: &[u8]) -> String {
        let mut walker = self.walker();
        let node = walker.engine.nodes.decode(state);
        let mut out = String::new();
        walker.show(node, &mut out);
        out
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        let mut walker = self.walker();
        let node = walker.engine.nodes.decode(state);
        if node == STOP || node == ENDED {
            let value = if node == STOP { "stop" } else { "ended with exit" }.to_owned();
            return vec![StatePart { owner: String::new(), name: String::new(), value }];
        }
        let mut leaves = Vec::new();
        walker.leaves(node, &mut leaves);
        let mut parts = Vec::new();
        for leaf in leaves {
            let Node::Leaf { code, values, .. } = walker.engine.nodes.get(leaf).clone() else { continue };
            let (owner, place) = self.place(code);
            let value = format!("line {}: {}", place.line, walker.action_text(leaf));
            parts.push(StatePart { owner: owner.clone(), name: String::new(), value });
            for (slot, value) in walker.engine.nodes.used(code, &values) {
                let mut text = String::new();
                walker.engine.nodes.values.show(&self.spec.data, value, &mut text);
                let name = walker.variable(code, slot).to_owned();
                parts.push(StatePart { owner: owner.clone(), name, value: text });
            }
        }
        parts
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        fields_of(self.state_parts(state))
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let action = self.walker().action(state, t);
        self.names.text(action)
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let mut walker = self.walker();
        let action = walker.action(state, t);
        self.events_of(&self.names.text(action), &walker.steps[t.0 as usize].by)
    }

    fn actors(&self, _state: &[u8]) -> Vec<String> {
        Vec::new()
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        let mut walker = self.walker();
        let node = walker.engine.nodes.decode(state);
        let mut leaves = Vec::new();
        walker.leaves(node, &mut leaves);
        let event = |leaf: NodeId| {
            let Node::Leaf { code, .. } = *walker.engine.nodes.get(leaf) else { return None };
            let (actor, place) = self.place(code);
            Some(Event { actor, place: Some(place), ..Event::plain(walker.action_text(leaf)) })
        };
        leaves.into_iter().filter_map(event).collect()
    }

    /// The actions that no step begins with: those who would have to take part, or to agree, are not told.
    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        let mut walker = self.walker();
        let mut enabled = Vec::new();
        walker.enabled(state, &mut enabled);
        let moving: Vec<Event> = enabled.iter().flat_map(|&t| self.events(state, t)).collect();
        let moves = |event: &Event| {
            moving.iter().any(|other| other.actor == event.actor && other.place == event.place)
        };
        let waiting = self.waiting(state).into_iter().filter(|event| !moves(event));
        let disabled = |Event { actor, text, place, .. }: Event| {
            let gate = |c: char| !(c.is_alphanumeric() || c == '_');
            let at = text.split(gate).next().unwrap_or_default().to_owned();
            let why = if at.is_empty() {
                Obstacle::Unknown
            } else {
                Obstacle::NoPartner { at, missing: Vec::new() }
            };
            Disabled { actor, text, place, why }
        };
        waiting.map(disabled).collect()
    }

    fn action_name(&self, action: Action) -> String {
        self.names.text(action)
    }

    /// Several actions in the text may have one label.
    fn action_place(&self, _action: Action) -> Option<String> {
        None
    }

    fn fault_name(&self, fault: Fault) -> String {
        self.faults.text(fault.0)
    }

    fn gave_up(&self, fault: Fault) -> bool {
        fault.0 % 2 == 1
    }
}
