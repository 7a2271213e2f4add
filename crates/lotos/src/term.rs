//! Behaviours in execution, as terms that are kept once.
//!
//! A *leaf* is a place in the text with the gates and values that it still uses; nodes above it are the operators that are active.
//! What a state is, is the term's bytes: they are complete (values are written out, not numbered), so that workers need not agree on
//! anything, and what a worker has kept can be thrown away at any time. The bytes are also what terms are found by.
//!
//! **Normal form.** Calls are unfolded and guards are decided before a term is made. A choice is a sorted set without `stop`. A
//! parallel operator names only the gates that one side can still use. `hide` names only gates that the body can still use, nested ones are
//! one, and hidden gates are numbered from the first number that is free on: so a process that recurses through `hide` has finitely many states
//! where it can. `stop >> B` is `stop`, `stop [> B` is `B`, and `B [> stop` is `B`. All these are strong equivalences.
//!
//! What has ended with `exit` is not `stop`, although neither can go on: the first is no deadlock.

use crate::code::{CodeId, CodeKind, Compiled, ProcessId};
use crate::data::{SortId, UNSET, Val, read_varint, write_varint};
use crate::values::Values;
use elnath_kernel::store::hash64;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

pub(crate) type NodeId = u32;
/// A gate: one of the specification's, or one that is hidden somewhere above.
pub(crate) type Gate = u32;

pub(crate) const STOP: NodeId = 0;
pub(crate) const ENDED: NodeId = 1;

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Stop,
    /// After `exit`.
    Ended,
    /// Its values are those of the variables that it uses, or the memory of its part (see `identity`).
    Leaf {
        code: CodeId,
        gates: Box<[Gate]>,
        values: Box<[Val]>,
    },
    Choice(Box<[NodeId]>),
    Parallel(Rc<[Gate]>, NodeId, NodeId),
    Hide(Rc<[Gate]>, NodeId),
    /// Gates of the body, and those that they are outside. Only where gates are renamed as in the standard.
    Rename(Rc<[(Gate, Gate)]>, NodeId),
    /// The code is that of the whole; gates and values are those of its right side.
    Enable {
        left: NodeId,
        code: CodeId,
        gates: Box<[Gate]>,
        values: Box<[Val]>,
    },
    Disable(NodeId, NodeId),
}

/// The gates and values of a process in execution, by their numbers in its code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env {
    pub(crate) gates: Vec<Gate>,
    pub(crate) values: Vec<Val>,
    /// Empty, or the values of the variables of all processes, where this one's own may have changed since.
    pub(crate) memory: Vec<Val>,
}

struct Kept {
    node: Node,
    bytes: Rc<[u8]>,
    /// The gates that it can still use.
    free: Rc<[Gate]>,
    /// Whether a parallel operator is active in it.
    split: bool,
}

/// The terms that one worker knows, with their values.
pub(crate) struct Nodes<'a> {
    pub(crate) spec: &'a Compiled,
    pub(crate) values: Values,
    kept: Vec<Kept>,
    numbers: HashMap<Rc<[u8]>, NodeId, BuildHasherDefault<BytesHasher>>,
    /// Sets of gates, and what parallel operators and `hide` with them have made of terms: most steps lead to terms that are known, and this finds
    /// them without writing their bytes.
    sets: HashMap<Box<[Gate]>, u32, BuildHasherDefault<BytesHasher>>,
    made: HashMap<[u32; 3], NodeId, BuildHasherDefault<BytesHasher>>,
    /// The set that was asked for last, with its number: the moves of one operator follow one another.
    last_set: (Vec<Gate>, u32),
    scratch: Vec<u8>,
}

/// In the place of the second operand: `hide` has one.
const HIDDEN: NodeId = NodeId::MAX;

/// The kernel's hash of bytes.
#[derive(Default)]
pub(crate) struct BytesHasher(u64);

impl Hasher for BytesHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 ^= hash64(bytes);
    }

    fn write_usize(&mut self, _length: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(spec: &'a Compiled) -> Self {
        let mut nodes = Self {
            spec,
            values: Values::new(&spec.data),
            kept: Vec::new(),
            numbers: HashMap::default(),
            sets: HashMap::default(),
            made: HashMap::default(),
            last_set: (vec![Gate::MAX], 0),
            scratch: Vec::new(),
        };
        nodes.begin();
        nodes
    }

    fn begin(&mut self) {
        assert_eq!((self.intern(Node::Stop), self.intern(Node::Ended)), (STOP, ENDED));
    }

    /// Forgets all terms and values.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.numbers.clear();
        self.made.clear();
        self.values.clear();
        self.begin();
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(crate) fn get(&self, node: NodeId) -> &Node {
        &self.kept[node as usize].node
    }

    pub(crate) fn bytes(&self, node: NodeId) -> &[u8] {
        &self.kept[node as usize].bytes
    }

    pub(crate) fn free(&self, node: NodeId) -> Rc<[Gate]> {
        Rc::clone(&self.kept[node as usize].free)
    }

    /// Whether a parallel operator is active in a term. (In an alternative of a choice none is.)
    pub(crate) fn is_split(&self, node: NodeId) -> bool {
        self.kept[node as usize].split
    }

    /// Whether a term can still use a gate.
    pub(crate) fn can_use(&self, node: NodeId, gate: Gate) -> bool {
        self.kept[node as usize].free.binary_search(&gate).is_ok()
    }

    /// A term whose parts are in normal form.
    fn intern(&mut self, node: Node) -> NodeId {
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        self.encode(&node, &mut bytes);
        let found = self.numbers.get(bytes.as_slice()).copied();
        let number = found.unwrap_or_else(|| {
            let number = self.kept.len() as NodeId;
            let bytes: Rc<[u8]> = bytes.as_slice().into();
            self.numbers.insert(Rc::clone(&bytes), number);
            let free = self.free_of(&node);
            let split = match &node {
                // What is renamed stays together: it is rare, and gates would have to be told apart by unit.
                Node::Stop | Node::Ended | Node::Leaf { .. } | Node::Choice(_) | Node::Rename(..) => false,
                Node::Parallel(..) => true,
                Node::Hide(_, inner) | Node::Enable { left: inner, .. } => self.is_split(*inner),
                Node::Disable(left, right) => self.is_split(*left) || self.is_split(*right),
            };
            self.kept.push(Kept { node, bytes, free, split });
            number
        });
        self.scratch = bytes;
        number
    }

    fn free_of(&self, node: &Node) -> Rc<[Gate]> {
        let mut free: Vec<Gate> = match node {
            Node::Stop | Node::Ended => Vec::new(),
            Node::Leaf { gates, .. } => gates.to_vec(),
            Node::Choice(all) => all.iter().flat_map(|&one| self.free(one).to_vec()).collect(),
            Node::Parallel(_, left, right) | Node::Disable(left, right) => {
                [self.free(*left), self.free(*right)].concat()
            }
            Node::Hide(own, body) => {
                let free = self.free(*body);
                free.iter().copied().filter(|gate| !own.contains(gate)).collect()
            }
            Node::Rename(pairs, body) => {
                let free = self.free(*body);
                free.iter().map(|&gate| outside(pairs, gate)).collect()
            }
            Node::Enable { left, gates, .. } => [&self.free(*left)[..], gates].concat(),
        };
        free.sort_unstable();
        free.dedup();
        free.into()
    }

    fn encode(&self, node: &Node, out: &mut Vec<u8>) {
        let gates =
            |gates: &[Gate], out: &mut Vec<u8>| gates.iter().for_each(|&gate| write_varint(gate.into(), out));
        match node {
            Node::Stop => out.push(0),
            Node::Ended => out.push(1),
            Node::Leaf { code, gates: own, values } => {
                out.push(2);
                write_varint((*code).into(), out);
                gates(own, out);
                for &value in values {
                    // In a memory some are not set.
                    if self.spec.memory.is_some() {
                        out.push(u8::from(value != UNSET));
                    }
                    if value != UNSET {
                        self.values.encode(value, out);
                    }
                }
            }
            Node::Choice(all) => {
                out.push(3);
                write_varint(all.len() as u64, out);
                all.iter().for_each(|&one| out.extend_from_slice(self.bytes(one)));
            }
            Node::Parallel(sync, left, right) => {
                out.push(4);
                write_varint(sync.len() as u64, out);
                gates(sync, out);
                out.extend_from_slice(self.bytes(*left));
                out.extend_from_slice(self.bytes(*right));
            }
            Node::Hide(own, body) => {
                out.push(5);
                write_varint(own.len() as u64, out);
                gates(own, out);
                out.extend_from_slice(self.bytes(*body));
            }
            Node::Enable { left, code, gates: own, values } => {
                out.push(6);
                write_varint((*code).into(), out);
                gates(own, out);
                values.iter().for_each(|&value| self.values.encode(value, out));
                out.extend_from_slice(self.bytes(*left));
            }
            Node::Disable(left, right) => {
                out.push(7);
                out.extend_from_slice(self.bytes(*left));
                out.extend_from_slice(self.bytes(*right));
            }
            Node::Rename(pairs, body) => {
                out.push(8);
                write_varint(pairs.len() as u64, out);
                pairs.iter().for_each(|&(own, outside)| gates(&[own, outside], out));
                out.extend_from_slice(self.bytes(*body));
            }
        }
    }

    /// The term of a state.
    pub(crate) fn decode(&mut self, state: &[u8]) -> NodeId {
        if let Some(&node) = self.numbers.get(state) {
            return node;
        }
        let mut rest = state;
        let node = self.read(&mut rest);
        debug_assert!(rest.is_empty() && self.bytes(node) == state, "a state is written as it was read");
        node
    }

    fn read(&mut self, bytes: &mut &[u8]) -> NodeId {
        let tag = bytes[0];
        *bytes = &bytes[1..];
        let gates = |count: usize, bytes: &mut &[u8]| -> Vec<Gate> {
            (0..count).map(|_| read_varint(bytes) as Gate).collect()
        };
        let node = match tag {
            0 => Node::Stop,
            1 => Node::Ended,
            2 => {
                let code = read_varint(bytes) as CodeId;
                let spec = self.spec;
                let own = &spec.codes[code as usize];
                let gates = gates(own.gates.len(), bytes).into();
                let values = match &spec.memory {
                    None => {
                        let mut value =
                            |&slot: &u32| self.values.decode(&spec.data, spec.sort_of(code, slot), bytes);
                        own.variables.iter().map(&mut value).collect()
                    }
                    Some(memory) => {
                        let mut value = |&sort: &SortId| {
                            let is_set = bytes[0] == 1;
                            *bytes = &bytes[1..];
                            if is_set { self.values.decode(&spec.data, sort, bytes) } else { UNSET }
                        };
                        memory.sorts.iter().map(&mut value).collect()
                    }
                };
                Node::Leaf { code, gates, values }
            }
            3 => {
                let count = read_varint(bytes);
                Node::Choice((0..count).map(|_| self.read(bytes)).collect())
            }
            4 => {
                let count = read_varint(bytes) as usize;
                let sync = gates(count, bytes).into();
                let left = self.read(bytes);
                Node::Parallel(sync, left, self.read(bytes))
            }
            5 => {
                let count = read_varint(bytes) as usize;
                let own = gates(count, bytes).into();
                Node::Hide(own, self.read(bytes))
            }
            6 => {
                let code = read_varint(bytes) as CodeId;
                let spec = self.spec;
                let (own, slots) = spec.continuation(code);
                let gates = gates(own.len(), bytes).into();
                let sorts: Vec<SortId> = slots.iter().map(|&slot| spec.sort_of(code, slot)).collect();
                let values = sorts.iter().map(|&sort| self.values.decode(&spec.data, sort, bytes)).collect();
                Node::Enable { left: self.read(bytes), code, gates, values }
            }
            7 => {
                let left = self.read(bytes);
                Node::Disable(left, self.read(bytes))
            }
            _ => {
                let count = read_varint(bytes) as usize;
                let pairs = gates(2 * count, bytes);
                let pairs = pairs.chunks(2).map(|pair| (pair[0], pair[1])).collect();
                Node::Rename(pairs, self.read(bytes))
            }
        };
        self.intern(node)
    }

    /// A place in the text, with what it uses of this environment.
    pub(crate) fn leaf(&mut self, code: CodeId, env: &Env) -> NodeId {
        let own = &self.spec.codes[code as usize];
        let gates = own.gates.iter().map(|&slot| env.gates[slot as usize]).collect();
        let values = match &self.spec.memory {
            None => own.variables.iter().map(|&slot| env.values[slot as usize]).collect(),
            Some(_) => self.remember(code, env).into(),
        };
        self.intern(Node::Leaf { code, gates, values })
    }

    /// The memory of an environment of this code's process.
    pub(crate) fn remember(&self, code: CodeId, env: &Env) -> Vec<Val> {
        let Some(memory) = &self.spec.memory else { return Vec::new() };
        let mut all = env.memory.clone();
        all[memory.range(self.spec.codes[code as usize].process)].copy_from_slice(&env.values);
        all
    }

    /// An environment of a process in which nothing is set but what is remembered.
    pub(crate) fn fresh_env(&self, process: ProcessId, memory: Vec<Val>) -> Env {
        let own = &self.spec.processes[process as usize];
        let values = match &self.spec.memory {
            None => vec![UNSET; own.variables.len()],
            Some(all) => memory[all.range(process)].to_vec(),
        };
        Env { gates: vec![Gate::MAX; own.gates.len()], values, memory }
    }

    /// The environment of a leaf.
    pub(crate) fn env(&self, code: CodeId, gates: &[Gate], values: &[Val]) -> Env {
        let own = &self.spec.codes[code as usize];
        if self.spec.memory.is_some() {
            let mut env = self.fresh_env(own.process, values.to_vec());
            own.gates.iter().zip(gates).for_each(|(&slot, &gate)| env.gates[slot as usize] = gate);
            return env;
        }
        self.env_with(code, (&own.gates, gates), (&own.variables, values), Vec::new())
    }

    /// The environment in which the right side of `>>` goes on after its left side.
    pub(crate) fn env_after(&self, left: NodeId, code: CodeId, gates: &[Gate], values: &[Val]) -> Env {
        let (own, slots) = self.spec.continuation(code);
        let memory = self.spec.memory.as_ref().map(|memory| {
            let unset = || vec![UNSET; memory.sorts.len()];
            self.memory(left).map_or_else(unset, <[Val]>::to_vec)
        });
        self.env_with(code, (own, gates), (&slots, values), memory.unwrap_or_default())
    }

    fn env_with(
        &self,
        code: CodeId,
        (own, gates): (&[u32], &[Gate]),
        (slots, values): (&[u32], &[Val]),
        memory: Vec<Val>,
    ) -> Env {
        let mut env = self.fresh_env(self.spec.codes[code as usize].process, memory);
        own.iter().zip(gates).for_each(|(&slot, &gate)| env.gates[slot as usize] = gate);
        slots.iter().zip(values).for_each(|(&slot, &value)| env.values[slot as usize] = value);
        env
    }

    /// What a term without parallel operators remembers.
    fn memory(&self, node: NodeId) -> Option<&[Val]> {
        match self.get(node) {
            _ if self.is_split(node) => None,
            Node::Leaf { values, .. } => Some(values),
            Node::Choice(all) => self.memory(all[0]),
            Node::Hide(_, inner) | Node::Rename(_, inner) => self.memory(*inner),
            Node::Enable { left: inner, .. } | Node::Disable(inner, _) => self.memory(*inner),
            Node::Stop | Node::Ended | Node::Parallel(..) => None,
        }
    }

    /// The variables that a leaf uses, with their values.
    pub(crate) fn used(&self, code: CodeId, values: &[Val]) -> Vec<(u32, Val)> {
        let own = &self.spec.codes[code as usize];
        match &self.spec.memory {
            None => own.variables.iter().copied().zip(values.iter().copied()).collect(),
            Some(memory) => {
                let values = &values[memory.range(own.process)];
                own.variables.iter().map(|&slot| (slot, values[slot as usize])).collect()
            }
        }
    }

    pub(crate) fn choice(&mut self, alternatives: Vec<NodeId>) -> NodeId {
        let mut all: Vec<NodeId> = Vec::new();
        for one in alternatives {
            match self.get(one) {
                Node::Stop => {}
                Node::Choice(inner) => all.extend_from_slice(inner),
                _ => all.push(one),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => STOP,
            [one] => one,
            _ => {
                // By their bytes: numbers depend on what the worker has seen.
                all.sort_by(|&one, &other| self.bytes(one).cmp(self.bytes(other)));
                self.intern(Node::Choice(all.into()))
            }
        }
    }

    /// Without gates, both sides use all together.
    pub(crate) fn parallel(&mut self, sync: Option<&[Gate]>, left: NodeId, right: NodeId) -> NodeId {
        if left == right && (left == STOP || left == ENDED) {
            return left;
        }
        let Some(gates) = sync else { return self.join(None, left, right) };
        let key = [self.set(gates), left, right];
        if let Some(&known) = self.made.get(&key) {
            return known;
        }
        let node = self.join(sync, left, right);
        self.made.insert(key, node);
        node
    }

    /// The number of a set of gates.
    fn set(&mut self, gates: &[Gate]) -> u32 {
        if self.last_set.0 == gates {
            return self.last_set.1;
        }
        let number = self.number_of_set(gates);
        self.last_set.0.clear();
        self.last_set.0.extend_from_slice(gates);
        self.last_set.1 = number;
        number
    }

    fn number_of_set(&mut self, gates: &[Gate]) -> u32 {
        if let Some(&number) = self.sets.get(gates) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.insert(gates.into(), number);
        number
    }

    fn join(&mut self, sync: Option<&[Gate]>, left: NodeId, right: NodeId) -> NodeId {
        let (lefts, rights) = (self.free(left), self.free(right));
        let is_used = |gate: &Gate| lefts.binary_search(gate).is_ok() || rights.binary_search(gate).is_ok();
        let mut sync: Vec<Gate> = match sync {
            None => [&lefts[..], &rights[..]].concat(),
            Some(sync) => sync.iter().copied().filter(is_used).collect(),
        };
        sync.sort_unstable();
        sync.dedup();
        self.intern(Node::Parallel(sync.into(), left, right))
    }

    pub(crate) fn hide(&mut self, gates: &[Gate], body: NodeId) -> NodeId {
        let key = [self.set(gates), body, HIDDEN];
        if let Some(&known) = self.made.get(&key) {
            return known;
        }
        let node = self.hidden(gates, body);
        self.made.insert(key, node);
        node
    }

    fn hidden(&mut self, gates: &[Gate], body: NodeId) -> NodeId {
        let free = self.free(body);
        let mut own: Vec<Gate> =
            gates.iter().copied().filter(|gate| free.binary_search(gate).is_ok()).collect();
        if own.is_empty() {
            return body;
        }
        let mut body = body;
        if let Node::Hide(inner, below) = self.get(body) {
            debug_assert!(
                own.iter().all(|gate| !inner.contains(gate)),
                "hidden gates have numbers of their own"
            );
            own.extend_from_slice(inner);
            body = *below;
        }
        own.sort_unstable();
        own.dedup();
        let others = self.free(body);
        let others = others.iter().copied().filter(|gate| own.binary_search(gate).is_err());
        // Beyond the others, in the order that they have: in `hide a in hide b in ..` the outer one stays before the inner one.
        let first = others.map(|gate| gate + 1).max().unwrap_or(0).max(self.spec.gates());
        let wanted: Vec<Gate> = (first..).take(own.len()).collect();
        if own != wanted {
            let map: Vec<(Gate, Gate)> = own.iter().copied().zip(wanted.iter().copied()).collect();
            body = self.rename(body, &map);
        }
        self.intern(Node::Hide(wanted.into(), body))
    }

    /// Gates of the body are others outside.
    pub(crate) fn renamed(&mut self, pairs: &[(Gate, Gate)], body: NodeId) -> NodeId {
        let free = self.free(body);
        let mut pairs: Vec<(Gate, Gate)> =
            pairs.iter().copied().filter(|(own, _)| free.binary_search(own).is_ok()).collect();
        if pairs.is_empty() {
            return body;
        }
        pairs.sort_unstable();
        // Numbers as for `hide`: beyond all that are known outside.
        let others = free.iter().map(|&gate| outside(&pairs, gate));
        let first = others.map(|gate| gate + 1).max().unwrap_or(0).max(self.spec.gates());
        let map: Vec<(Gate, Gate)> = pairs.iter().map(|&(own, _)| own).zip(first..).collect();
        let body = self.rename(body, &map);
        let pairs = map.iter().zip(&pairs).map(|(&(_, new), &(_, outside))| (new, outside)).collect();
        self.intern(Node::Rename(pairs, body))
    }

    /// Other gates for those that it uses.
    fn rename(&mut self, node: NodeId, map: &[(Gate, Gate)]) -> NodeId {
        let free = self.free(node);
        if !map.iter().any(|(old, new)| old != new && free.binary_search(old).is_ok()) {
            return node;
        }
        let new = |gate: &Gate| map.iter().find(|(old, _)| old == gate).map_or(*gate, |(_, new)| *new);
        match self.get(node).clone() {
            Node::Stop | Node::Ended => node,
            Node::Leaf { code, gates, values } => {
                let gates = gates.iter().map(new).collect();
                self.intern(Node::Leaf { code, gates, values })
            }
            Node::Choice(all) => {
                let all = all.iter().map(|&one| self.rename(one, map)).collect();
                self.choice(all)
            }
            Node::Parallel(sync, left, right) => {
                let sync: Vec<Gate> = sync.iter().map(new).collect();
                let (left, right) = (self.rename(left, map), self.rename(right, map));
                self.parallel(Some(&sync), left, right)
            }
            Node::Hide(own, body) => {
                // Its own gates get numbers that are none of the others, and normal ones afterwards.
                let beyond = map.iter().flat_map(|&(old, new)| [old, new]).chain(own.iter().copied());
                let first = 1 + beyond.chain(self.free(body).iter().copied()).max().unwrap_or(0);
                let fresh: Vec<Gate> = (first..).take(own.len()).collect();
                let mut inner: Vec<(Gate, Gate)> =
                    map.iter().copied().filter(|(old, _)| !own.contains(old)).collect();
                inner.extend(own.iter().copied().zip(fresh.iter().copied()));
                let body = self.rename(body, &inner);
                self.hide(&fresh, body)
            }
            Node::Rename(pairs, body) => {
                let own = pairs.iter().map(|&(own, _)| own);
                let beyond = map.iter().flat_map(|&(old, new)| [old, new]).chain(own.clone());
                let first = 1 + beyond.chain(self.free(body).iter().copied()).max().unwrap_or(0);
                let fresh: Vec<(Gate, Gate)> = own.zip(first..).collect();
                let mut inner: Vec<(Gate, Gate)> =
                    map.iter().copied().filter(|(old, _)| !fresh.iter().any(|(own, _)| own == old)).collect();
                inner.extend_from_slice(&fresh);
                let body = self.rename(body, &inner);
                let pairs: Vec<(Gate, Gate)> = fresh
                    .iter()
                    .zip(pairs.iter())
                    .map(|(&(_, own), (_, outside))| (own, new(outside)))
                    .collect();
                self.renamed(&pairs, body)
            }
            Node::Enable { left, code, gates, values } => {
                let gates = gates.iter().map(new).collect();
                let left = self.rename(left, map);
                self.enable(left, code, gates, values)
            }
            Node::Disable(left, right) => {
                let (left, right) = (self.rename(left, map), self.rename(right, map));
                self.disable(left, right)
            }
        }
    }

    pub(crate) fn enable(
        &mut self,
        left: NodeId,
        code: CodeId,
        gates: Box<[Gate]>,
        values: Box<[Val]>,
    ) -> NodeId {
        if left == STOP { STOP } else { self.intern(Node::Enable { left, code, gates, values }) }
    }

    pub(crate) fn disable(&mut self, left: NodeId, right: NodeId) -> NodeId {
        match (left, right) {
            (STOP, other) | (other, STOP) => other,
            _ => self.intern(Node::Disable(left, right)),
        }
    }
}

/// What a gate of the body of a renaming is outside.
pub(crate) fn outside(pairs: &[(Gate, Gate)], gate: Gate) -> Gate {
    pairs.iter().find(|(own, _)| *own == gate).map_or(gate, |&(_, outside)| outside)
}

impl Compiled {
    /// How many gates the specification has.
    pub(crate) fn gates(&self) -> Gate {
        self.top_gates
    }

    pub(crate) fn sort_of(&self, code: CodeId, slot: u32) -> SortId {
        let process = &self.processes[self.codes[code as usize].process as usize];
        process.variables[slot as usize].1
    }

    /// The gates and variables that the right side of `>>` uses of its surroundings.
    pub(crate) fn continuation(&self, code: CodeId) -> (&[u32], Vec<u32>) {
        let CodeKind::Enable { accept, right, .. } = &self.codes[code as usize].kind else {
            unreachable!("this is the code of `>>`")
        };
        let right = &self.codes[*right as usize];
        let slots = right.variables.iter().copied().filter(|slot| !accept.contains(slot)).collect();
        (&right.gates, slots)
    }
}
