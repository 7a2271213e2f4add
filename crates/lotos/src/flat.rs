//! The flattening engine: a state is a skeleton of operators and the states of its units, as numbers.
//!
//! Where control is static ([`control`](crate::control)) few skeletons are ever met, mostly one, and the units have few states of their own
//! compared with the whole. So everything that needs the rules of the standard or data is done once for each state of a unit:
//! its moves, with offers that stay open, and where they lead for the values that partners have given so far. What is left for each state of the whole is to
//! go through the [synchronisation vectors](crate::skeleton) and to put numbers in their places: no term is made, no value is computed.
//!
//! The moves of a unit are those that the rules on terms give it. Every state stands for a term, which is how it is shown to people, and has the
//! steps of that term. Terms in normal form identify a few more states, as where all units below an operator have stopped.
//!
//! Numbers are given to the states of units when they are first met, and all workers share them; each keeps what it has learned. They are never
//! forgotten, since states consist of them: a specification whose units have too many is given up, and can be searched on terms.
//!
//! (Units as processes of the IR were considered. It has neither values other than 32-bit numbers nor rendez-vous of more than two, and
//! joint commands for every combination of offers would multiply with the ranges of sorts; lists and other values without bound could not be
//! flattened at all.)

use crate::code::CodeId;
use crate::control::{Growth, growth};
use crate::data::{Trouble, Val, read_varint, write_varint};
use crate::moves::{Engine, FAULT, INTERNAL, Move, Offer, Step, Target, for_each_combination};
use crate::skeleton::{Made, Reaction, Shape, Skeleton, Vector};
use crate::system::{Labels, LotosSystem};
use crate::term::{BytesHasher, ENDED, Gate, NodeId};
use elnath_kernel::event::{Disabled, Field, StatePart};
use elnath_kernel::{Action, Describe, Event, Fault, Stepper, Successors, System, Tally, Transition};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::rc::Rc;
use std::sync::{Arc, PoisonError, RwLock};

/// The most states of units that have a number, in each place of the skeleton.
const MOST_NUMBERS: usize = 1 << 21;
/// Places that have numbers of their own; those after them share the last.
const POOLS: usize = 64;

/// A specification as units. See the [module](self).
pub struct Flattened {
    spec: Arc<LotosSystem>,
    skeletons: Pool,
    units: [Pool; POOLS],
}

/// Why a specification is better searched on terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFlat {
    /// Control is not static: a process calls itself within an operator that stays.
    Grows {
        /// The process that is called.
        process: String,
        /// Where, as `file:line`.
        place: String,
    },
    /// It has no parallel operator.
    Sequential,
}

impl NotFlat {
    /// What stands against flattening a specification, if something does.
    pub fn of(spec: &LotosSystem) -> Option<Self> {
        Some(match growth(&spec.spec)? {
            Growth::Sequential => Self::Sequential,
            Growth::Call(code) => {
                let (process, place) = spec.called(code);
                Self::Grows { process, place: format!("{}:{}", place.file, place.line) }
            }
        })
    }
}

impl Flattened {
    /// Flattens a specification. It need not be one for which this is [worth it](NotFlat::of).
    pub fn new(spec: Arc<LotosSystem>) -> Self {
        Self { spec, skeletons: Pool::default(), units: std::array::from_fn(|_| Pool::default()) }
    }

    fn walker(&self) -> Walker<'_> {
        Walker {
            flat: self,
            engine: self.spec.engine(),
            skeletons: Vec::new(),
            units: Vec::new(),
            numbers: Vec::new(),
            labels: Labels::default(),
            found: Found::default(),
            steps_of: None,
            scratch: Scratch::default(),
        }
    }

    fn pool(&self, place: usize) -> &Pool {
        &self.units[place.min(POOLS - 1)]
    }

    /// The term that a state stands for: a state of the specification on terms.
    pub fn term(&self, state: &[u8]) -> Vec<u8> {
        let mut walker = self.walker();
        let (skeleton, units) = walker.load(state);
        let term = walker.term(&skeleton, &units);
        walker.engine.nodes.bytes(term).to_vec()
    }
}

/// Numbers for strings of bytes, shared by all workers.
#[derive(Default)]
struct Pool(RwLock<Numbered>);

#[derive(Default)]
struct Numbered {
    numbers: HashMap<Arc<[u8]>, u32, BuildHasherDefault<BytesHasher>>,
    all: Vec<Arc<[u8]>>,
}

impl Pool {
    /// None if there are too many.
    fn number(&self, bytes: &[u8]) -> Option<u32> {
        let known = |pool: &Numbered| pool.numbers.get(bytes).copied();
        if let Some(number) = known(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return Some(number);
        }
        let mut pool = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another worker may have been faster.
        if let Some(number) = known(&pool) {
            return Some(number);
        }
        if pool.all.len() >= MOST_NUMBERS {
            return None;
        }
        let number = pool.all.len() as u32;
        let bytes: Arc<[u8]> = bytes.into();
        pool.all.push(Arc::clone(&bytes));
        pool.numbers.insert(bytes, number);
        Some(number)
    }

    fn get(&self, number: u32) -> Arc<[u8]> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).all[number as usize])
    }

    fn bytes(&self) -> usize {
        let pool = self.0.read().unwrap_or_else(PoisonError::into_inner);
        pool.all.iter().map(|one| one.len() + 64).sum()
    }
}

/// A state of a unit, as one worker knows it.
struct Unit {
    node: NodeId,
    moves: Vec<UnitMove>,
}

struct UnitMove {
    step: Move,
    /// Where it leads, if that depends on no value of a partner.
    known: Option<Closed>,
    /// Where it has led with other values.
    met: RefCell<HashMap<Box<[Val]>, Closed, BuildHasherDefault<BytesHasher>>>,
}

/// Where a move of a unit leads when all values are known.
#[derive(Clone, Copy)]
enum Closed {
    /// Nowhere: a predicate does not hold.
    Refused,
    /// To this state of the unit.
    Unit(u32),
    /// To a term with a parallel operator, which changes the skeleton.
    Split(NodeId),
    Fault(u32),
}

/// The steps of one state, in buffers that are reused.
#[derive(Default)]
struct Found {
    steps: Vec<FlatStep>,
    /// The states that they lead to.
    states: Vec<u8>,
    values: Vec<Val>,
    by: Vec<CodeId>,
}

#[derive(Clone, Copy)]
struct FlatStep {
    label: Gate,
    fault: Option<u32>,
    /// Where its state, values and actions end in the buffers.
    state: usize,
    values: usize,
    by: usize,
}

#[derive(Default)]
struct Scratch {
    offers: Vec<Offer>,
    values: Vec<Val>,
    /// The units that act, and their moves.
    chosen: Vec<(usize, usize)>,
    closed: Vec<Closed>,
    units: Vec<Rc<Unit>>,
    /// Where the number of each unit lies in the state.
    offsets: Vec<usize>,
}

struct Walker<'a> {
    flat: &'a Flattened,
    engine: Engine<'a>,
    skeletons: Vec<Option<Rc<Skeleton>>>,
    /// By place and number.
    units: Vec<Vec<Option<Rc<Unit>>>>,
    numbers: Vec<HashMap<NodeId, u32>>,
    labels: Labels,
    found: Found,
    /// The state whose steps these are.
    steps_of: Option<Vec<u8>>,
    scratch: Scratch,
}

/// There are too many states of units.
struct Full;

impl Walker<'_> {
    fn skeleton(&mut self, number: u32) -> Rc<Skeleton> {
        let at = number as usize;
        if self.skeletons.len() <= at {
            self.skeletons.resize(at + 1, None);
        }
        let shape = || {
            let bytes = self.flat.skeletons.get(number);
            Rc::new(Skeleton::new(Shape::decode(&mut &bytes[..], &mut 0)))
        };
        Rc::clone(self.skeletons[at].get_or_insert_with(shape))
    }

    fn unit(&mut self, place: usize, number: u32) -> Rc<Unit> {
        let at = number as usize;
        if let Some(Some(unit)) = self.units.get(place).and_then(|units| units.get(at)) {
            return Rc::clone(unit);
        }
        let bytes = self.flat.pool(place).get(number);
        let node = self.engine.nodes.decode(&bytes);
        let mut moves = Vec::new();
        for step in self.engine.moves(node).iter() {
            let known = match step.target {
                Target::Known(node) => Some(self.placed(place, node, step)),
                Target::Open(_) => None,
            };
            moves.push(UnitMove { step: step.clone(), known, met: RefCell::default() });
        }
        let unit = Rc::new(Unit { node, moves });
        if self.units.len() <= place {
            self.units.resize(place + 1, Vec::new());
        }
        let units = &mut self.units[place];
        if units.len() <= at {
            units.resize(at + 1, None);
        }
        units[at] = Some(Rc::clone(&unit));
        unit
    }

    /// The number of a unit's state.
    fn number(&mut self, place: usize, node: NodeId) -> Result<u32, Full> {
        if self.numbers.len() <= place {
            self.numbers.resize(place + 1, HashMap::new());
        }
        if let Some(&number) = self.numbers[place].get(&node) {
            return Ok(number);
        }
        let number = self.flat.pool(place).number(self.engine.nodes.bytes(node)).ok_or(Full)?;
        self.numbers[place].insert(node, number);
        Ok(number)
    }

    fn placed(&mut self, place: usize, node: NodeId, step: &Move) -> Closed {
        if self.engine.nodes.is_split(node) {
            return Closed::Split(node);
        }
        match self.number(place, node) {
            Ok(number) => Closed::Unit(number),
            Err(full) => Closed::Fault(self.full(full, step.by.first().copied())),
        }
    }

    fn full(&mut self, _: Full, code: Option<CodeId>) -> u32 {
        let text = format!("a unit has more than {MOST_NUMBERS} states of its own: use --engine terms");
        self.engine.fault(code, Trouble::gave_up(text))
    }

    /// Where a move leads with these values.
    fn close(&mut self, place: usize, step: &UnitMove, values: &[Val]) -> Closed {
        if let Some(known) = step.known {
            return known;
        }
        if let Some(&met) = step.met.borrow().get(values) {
            return met;
        }
        let closed = match self.engine.close(&step.step.target, values) {
            Ok(None) => Closed::Refused,
            Ok(Some(node)) => self.placed(place, node, &step.step),
            Err(trouble) => Closed::Fault(self.engine.fault(step.step.by.first().copied(), trouble)),
        };
        step.met.borrow_mut().insert(values.into(), closed);
        closed
    }

    /// Reads a state.
    fn load(&mut self, state: &[u8]) -> (Rc<Skeleton>, Vec<Rc<Unit>>) {
        if self.engine.is_full() {
            self.engine.forget();
            self.steps_of = None;
            self.units.clear();
            self.numbers.clear();
            self.labels.clear();
        }
        let mut rest = state;
        let skeleton = read_varint(&mut rest) as u32;
        let skeleton = self.skeleton(skeleton);
        let mut units = std::mem::take(&mut self.scratch.units);
        units.clear();
        self.scratch.offsets.clear();
        for place in 0..skeleton.places {
            self.scratch.offsets.push(state.len() - rest.len());
            let number = read_varint(&mut rest) as u32;
            units.push(self.unit(place, number));
        }
        debug_assert!(rest.is_empty(), "a state has one number for each place");
        (skeleton, units)
    }

    fn term(&mut self, skeleton: &Skeleton, units: &[Rc<Unit>]) -> NodeId {
        let parts: Vec<NodeId> = units.iter().map(|unit| unit.node).collect();
        skeleton.shape.term(&mut self.engine.nodes, &parts)
    }

    /// Appends the state of a term.
    fn write(&mut self, term: NodeId, out: &mut Vec<u8>) -> Result<(), Full> {
        let mut parts = Vec::new();
        let shape = Skeleton::of(&mut self.engine.nodes, term, &mut parts);
        self.write_parts(&shape, parts, out)
    }

    fn write_parts(&mut self, shape: &Shape, parts: Vec<NodeId>, out: &mut Vec<u8>) -> Result<(), Full> {
        let mut bytes = Vec::new();
        shape.encode(&mut bytes);
        write_varint(self.flat.skeletons.number(&bytes).ok_or(Full)?.into(), out);
        for (place, part) in parts.into_iter().enumerate() {
            write_varint(self.number(place, part)?.into(), out);
        }
        Ok(())
    }

    fn find_steps(&mut self, state: &[u8]) {
        if self.steps_of.as_deref() == Some(state) {
            return;
        }
        let mut kept = self.steps_of.take().unwrap_or_default();
        let (skeleton, units) = self.load(state);
        self.found.clear();
        if skeleton.too_many || !self.by_vectors(state, &skeleton, &units) {
            self.found.clear();
            self.by_terms(state, &skeleton, &units);
        }
        self.scratch.units = units;
        kept.clear();
        kept.extend_from_slice(state);
        self.steps_of = Some(kept);
    }

    /// Finds all steps; false if one of them is left to the rules on terms.
    fn by_vectors(&mut self, state: &[u8], skeleton: &Skeleton, units: &[Rc<Unit>]) -> bool {
        for (place, unit) in units.iter().enumerate() {
            for (index, step) in unit.moves.iter().enumerate() {
                for &vector in skeleton.led_by(place, step.step.gate) {
                    let vector = &skeleton.vectors[vector as usize];
                    self.scratch.chosen.clear();
                    self.scratch.chosen.push((place, index));
                    if !self.meet(state, skeleton, vector, units) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Goes through the moves of the members that are not chosen yet.
    fn meet(&mut self, state: &[u8], skeleton: &Skeleton, vector: &Vector, units: &[Rc<Unit>]) -> bool {
        let Some(&place) = vector.members.get(self.scratch.chosen.len()) else {
            return self.act(state, skeleton, vector, units);
        };
        for (index, step) in units[place].moves.iter().enumerate() {
            if step.step.gate != vector.gate {
                continue;
            }
            self.scratch.chosen.push((place, index));
            let found = self.meet(state, skeleton, vector, units);
            self.scratch.chosen.pop();
            if !found {
                return false;
            }
        }
        true
    }

    /// The chosen moves together, if their offers agree.
    fn act(&mut self, state: &[u8], skeleton: &Skeleton, vector: &Vector, units: &[Rc<Unit>]) -> bool {
        let mut offers = std::mem::take(&mut self.scratch.offers);
        offers.clear();
        let agree = self.agreed(units, &mut offers);
        if agree && vector.effect == Reaction::Enable {
            let found = self.go_on(state, skeleton, vector, units, &offers);
            self.scratch.offers = offers;
            return found;
        }
        if agree {
            let step = |&(place, index): &(usize, usize)| &units[place].moves[index].step;
            let fault = self.scratch.chosen.iter().find_map(|chosen| step(chosen).fault);
            let is_open = offers.iter().any(|offer| matches!(offer, Offer::Any(_)));
            let mut values = std::mem::take(&mut self.scratch.values);
            values.clear();
            values.extend(offers.iter().filter_map(|offer| match *offer {
                Offer::Value(value) => Some(value),
                Offer::Any(_) => None,
            }));
            if fault.is_some() {
                let label = if is_open { FAULT } else { vector.label };
                self.push_fault(state, label, &values, units, fault);
            } else if !is_open {
                self.close_all(state, skeleton, vector, units, &values);
            } else {
                match self.engine.domains(&offers) {
                    Ok(domains) => for_each_combination(&domains, |values| {
                        self.close_all(state, skeleton, vector, units, values);
                    }),
                    Err(trouble) => {
                        let code = step(&self.scratch.chosen[0]).by.first().copied();
                        let fault = self.engine.fault(code, trouble);
                        self.push_fault(state, FAULT, &[], units, Some(fault));
                    }
                }
            }
            self.scratch.values = values;
        }
        self.scratch.offers = offers;
        true
    }

    /// What the offers of the chosen moves have in common.
    fn agreed(&self, units: &[Rc<Unit>], offers: &mut Vec<Offer>) -> bool {
        for (number, &(place, index)) in self.scratch.chosen.iter().enumerate() {
            let own = &units[place].moves[index].step.offers;
            if number == 0 {
                offers.extend_from_slice(own);
                continue;
            }
            if own.len() != offers.len() {
                return false;
            }
            for (offer, &own) in offers.iter_mut().zip(own.iter()) {
                match self.engine.agree(*offer, own) {
                    Some(common) => *offer = common,
                    None => return false,
                }
            }
        }
        true
    }

    /// The chosen moves with these values.
    fn close_all(
        &mut self,
        state: &[u8],
        skeleton: &Skeleton,
        vector: &Vector,
        units: &[Rc<Unit>],
        values: &[Val],
    ) {
        let mut closed = std::mem::take(&mut self.scratch.closed);
        closed.clear();
        for at in 0..self.scratch.chosen.len() {
            let (place, index) = self.scratch.chosen[at];
            closed.push(self.close(place, &units[place].moves[index], values));
        }
        let fault = closed.iter().find_map(|one| match *one {
            Closed::Fault(fault) => Some(fault),
            _ => None,
        });
        if fault.is_some() {
            self.push_fault(state, vector.label, values, units, fault);
        } else if !closed.iter().any(|one| matches!(one, Closed::Refused)) {
            let in_place =
                vector.effect == Reaction::None && closed.iter().all(|one| matches!(one, Closed::Unit(_)));
            let full = if in_place {
                self.put(state, &closed);
                None
            } else {
                self.rebuild(state, skeleton, vector, units, &closed, None)
            };
            self.push(vector.label, values, units, full);
        }
        self.scratch.closed = closed;
    }

    /// The state with other numbers in the places of the chosen units.
    fn put(&mut self, state: &[u8], closed: &[Closed]) {
        let Scratch { chosen, offsets, .. } = &self.scratch;
        let out = &mut self.found.states;
        let start = out.len();
        out.extend_from_slice(state);
        let mut shift = 0;
        for (&(place, _), closed) in chosen.iter().zip(closed) {
            let Closed::Unit(number) = *closed else { unreachable!("it stays in its place") };
            let at = (start + offsets[place]) as isize + shift;
            let at = at as usize;
            if out[at] < 0x80 && number < 0x80 {
                out[at] = number as u8;
                continue;
            }
            let old = out[at..].iter().take_while(|&&byte| byte >= 0x80).count() + 1;
            let mut new = Vec::with_capacity(5);
            write_varint(number.into(), &mut new);
            shift += new.len() as isize - old as isize;
            out.splice(at..at + old, new);
        }
    }

    /// What `>>` waits for has come, with these values; false if it is left to the rules on terms.
    fn go_on(
        &mut self,
        state: &[u8],
        skeleton: &Skeleton,
        vector: &Vector,
        units: &[Rc<Unit>],
        offers: &[Offer],
    ) -> bool {
        let next = skeleton.continuation(vector.members[0]).expect("a `>>` reacts");
        let Some(moves) = self.engine.continued(units[next].node, offers) else { return false };
        for step in moves {
            let Target::Known(next) = step.target else { unreachable!("`exit` leads to what follows") };
            if step.fault.is_some() {
                self.push_fault(state, step.gate, &[], units, step.fault);
                continue;
            }
            let ended: Vec<Closed> = self.scratch.chosen.iter().map(|_| Closed::Split(ENDED)).collect();
            let full = self.rebuild(state, skeleton, vector, units, &ended, Some(next));
            self.push(vector.label, &[], units, full);
        }
        true
    }

    /// Appends the state after a step that changes the skeleton, or another one if there are too many states of units.
    fn rebuild(
        &mut self,
        state: &[u8],
        skeleton: &Skeleton,
        vector: &Vector,
        units: &[Rc<Unit>],
        closed: &[Closed],
        next: Option<NodeId>,
    ) -> Option<u32> {
        let mut parts: Vec<NodeId> = units.iter().map(|unit| unit.node).collect();
        for (at, closed) in closed.iter().enumerate() {
            let (place, _) = self.scratch.chosen[at];
            parts[place] = match *closed {
                Closed::Split(node) => node,
                Closed::Unit(number) => self.unit(place, number).node,
                Closed::Refused | Closed::Fault(_) => unreachable!("it leads somewhere"),
            };
        }
        let made = Made { vector, parts: &parts, next };
        let mut after = Vec::new();
        let shape = skeleton.shape.after(&mut self.engine.nodes, &made, &mut after);
        self.append(state, |walker, out| walker.write_parts(&shape, after, out))
    }

    fn append(
        &mut self,
        state: &[u8],
        write: impl FnOnce(&mut Self, &mut Vec<u8>) -> Result<(), Full>,
    ) -> Option<u32> {
        let mut states = std::mem::take(&mut self.found.states);
        let start = states.len();
        let full = write(self, &mut states).err().map(|full| {
            states.truncate(start);
            states.extend_from_slice(state);
            self.full(full, None)
        });
        self.found.states = states;
        full
    }

    /// A step whose state has been appended.
    fn push(&mut self, label: Gate, values: &[Val], units: &[Rc<Unit>], fault: Option<u32>) {
        if label != INTERNAL {
            self.found.values.extend_from_slice(values);
        }
        for &(place, index) in &self.scratch.chosen {
            self.found.by.extend_from_slice(&units[place].moves[index].step.by);
        }
        self.found.end(label, fault);
    }

    /// A step that is a fault; it stays where it is.
    fn push_fault(
        &mut self,
        state: &[u8],
        label: Gate,
        values: &[Val],
        units: &[Rc<Unit>],
        fault: Option<u32>,
    ) {
        self.found.states.extend_from_slice(state);
        self.push(label, if label == FAULT { &[] } else { values }, units, fault);
    }

    /// The steps after the rules on terms.
    fn by_terms(&mut self, state: &[u8], skeleton: &Skeleton, units: &[Rc<Unit>]) {
        let term = self.term(skeleton, units);
        let mut steps: Vec<Step> = Vec::new();
        self.engine.steps_of(term, &mut steps);
        for step in steps {
            let full = self.append(state, |walker, out| walker.write(step.target, out));
            self.found.values.extend(step.values.iter().map(|offer| match *offer {
                Offer::Value(value) => value,
                Offer::Any(_) => unreachable!("open offers are enumerated"),
            }));
            self.found.by.extend_from_slice(&step.by);
            self.found.end(step.gate, step.fault.or(full));
        }
    }
}

impl Found {
    fn clear(&mut self) {
        self.steps.clear();
        self.states.clear();
        self.values.clear();
        self.by.clear();
    }

    fn end(&mut self, label: Gate, fault: Option<u32>) {
        let (state, values, by) = (self.states.len(), self.values.len(), self.by.len());
        self.steps.push(FlatStep { label, fault, state, values, by });
    }

    fn before(&self, at: usize) -> FlatStep {
        let first = FlatStep { label: 0, fault: None, state: 0, values: 0, by: 0 };
        at.checked_sub(1).map_or(first, |before| self.steps[before])
    }

    fn state(&self, at: usize) -> &[u8] {
        &self.states[self.before(at).state..self.steps[at].state]
    }

    fn values(&self, at: usize) -> &[Val] {
        &self.values[self.before(at).values..self.steps[at].values]
    }

    fn by(&self, at: usize) -> &[CodeId] {
        &self.by[self.before(at).by..self.steps[at].by]
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        let term = self.engine.nodes.decode(self.flat.spec.initial_bytes());
        out.clear();
        assert!(self.write(term, out).is_ok(), "the first states of units have numbers");
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        self.find_steps(state);
        out.clear();
        out.extend((0..self.found.steps.len() as u64).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.find_steps(state);
        let at = t.0 as usize;
        out.clear();
        out.extend_from_slice(self.found.state(at));
        self.found.steps[at].fault.map_or(Ok(()), |fault| Err(Fault(fault)))
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        self.find_steps(state);
        out.clear();
        let mut start = 0;
        for (at, step) in self.found.steps.iter().enumerate() {
            out.push(Transition(at as u64), &self.found.states[start..step.state], step.fault.map(Fault));
            start = step.state;
        }
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.find_steps(state);
        let at = t.0 as usize;
        let (label, values) = (self.found.steps[at].label, self.found.values(at));
        self.labels.action(&self.flat.spec, &self.engine.nodes.values, label, values)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        let (skeleton, units) = self.load(state);
        let ended = units.iter().all(|unit| unit.node == ENDED) && self.term(&skeleton, &units) == ENDED;
        self.scratch.units = units;
        ended
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

impl System for Flattened {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(self.walker())
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        let units: usize = self.units.iter().map(Pool::bytes).sum();
        self.spec.bytes() + self.skeletons.bytes() + units
    }
}

/// Everything is told about the term that a state stands for.
impl Describe for Flattened {
    fn show_state(&self, state: &[u8]) -> String {
        self.spec.show_state(&self.term(state))
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        self.spec.state_parts(&self.term(state))
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let action = self.walker().action(state, t);
        self.spec.action_name(action)
    }

    /// A step that is told is confirmed by the rules on terms, which are the semantics: so is every run that people see.
    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let mut walker = self.walker();
        let action = walker.action(state, t);
        let (label, at) = (self.spec.action_name(action), t.0 as usize);
        let next = walker.found.steps[at].fault.is_none().then(|| self.term(walker.found.state(at)));
        let confirmed = self.spec.can_step(&self.term(state), &label, next.as_deref());
        assert!(confirmed, "the rules on terms have no such step: {label}");
        self.spec.events_of(&label, walker.found.by(at))
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        self.spec.fields(&self.term(state))
    }

    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        self.spec.waiting(&self.term(state))
    }

    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        self.spec.disabled(&self.term(state))
    }

    elnath_kernel::hand_on! { spec: actors, action_name, action_place, fault_name, gave_up }
}
