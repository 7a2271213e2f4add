//! One system as a labelled graph that is explored only where somebody looks.
//!
//! A comparison looks at the same states again and again, in pairs with different partners, so what is once computed is
//! kept: the state under a number, its transitions by the numbers of their labels, and what it can do with internal
//! steps before or after. Nothing is computed before it is asked for.
//!
//! # Nodes
//!
//! For the relations that count every step, a *node* is a state. For those that look through internal steps it is a
//! component of the graph of internal steps: states that reach each other inside are related by all of these relations
//! (divergence included, for all of them can be busy for ever), so they are one node, its transitions are those of all
//! its states, and what is left of the internal steps has no cycle. This is what makes closures end and keeps a promise
//! from being put off for ever around a cycle (on-the-fly-verification-1993 has nothing about it; the 1991 tool was
//! wrong here for five years). Components are found by Tarjan's algorithm when a state is first made a node; it visits
//! what can be reached inside, which is what closures need anyway.
//!
//! # Challenges and answers
//!
//! A node has two lists, made when it first stands in a pair: what it can *challenge* its partner with, and what it can
//! *answer*. They are what the [relations](super::game) are made of:
//!
//! | style | challenge | answer |
//! |---|---|---|
//! | every step | `p -a-> p'` | `q -a-> q'` |
//! | tau*.a | `p => -a-> p'`, a visible | the same |
//! | weak | `p -a-> p'` | `q => -a-> => q'`, `q => q'` for tau |
//! | delay | `p -a-> p'` | `q => -a-> q'`, `q => q'` for tau |
//! | branching | `p -a-> p'` | `q => m -a-> q'` with `m`; for tau also staying at `m` |
//!
//! Lists are sorted by label and free of repetitions. With divergence, a node on an internal cycle has a loop with the
//! label [`DIVERGES`], which no action can be confused with.

use super::meter::{Meter, Spender};
use elnath_kernel::store::{Numbered, Numbers, Ref, Room, States, Status, Store, Visit};
use elnath_kernel::{Action, ByAction, Limit, Stepper, Successors, System, Texts};

/// The label of internal steps, whatever they are called.
pub(crate) const TAU: u32 = 0;
/// The label of the loop that stands for being busy inside for ever.
pub(crate) const DIVERGES: u32 = 1;

/// The labels of both sides, numbered.
pub(crate) struct Labels<'a> {
    internal: &'a dyn Fn(&str) -> bool,
    named: NamedLabels,
}

impl<'a> Labels<'a> {
    pub(crate) fn new(internal: &'a dyn Fn(&str) -> bool) -> Self {
        Self { internal, named: NamedLabels::default() }
    }

    fn number(&mut self, name: &str) -> u32 {
        if (self.internal)(name) { TAU } else { self.named.number(name) }
    }

    /// The text of a label.
    pub(crate) fn name(&self, label: u32) -> &str {
        self.named.name(label)
    }
}

/// Labels by their texts, and the two that have none: whatever these are called for people, a visible label may be
/// called so too.
#[derive(Default)]
pub(crate) struct NamedLabels(Texts);

/// The number of the first label with a text.
const VISIBLE: u32 = 2;

impl NamedLabels {
    /// The number of a visible label, which is added if it is new.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        VISIBLE + self.0.intern(name)
    }

    /// The number of a visible label, if it has one.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.0.find(name).map(|number| VISIBLE + number)
    }

    /// The text of a label.
    pub(crate) fn name(&self, label: u32) -> &str {
        match label {
            TAU => "i",
            DIVERGES => "diverges",
            label => self.0.get(label - VISIBLE),
        }
    }
}

/// What counts as one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Strong,
    TauStar,
    Weak,
    Delay,
    Branching { divergence: bool },
}

/// A labelled step to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Move {
    pub(crate) label: u32,
    pub(crate) target: u32,
}

/// Part of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    const NONE: Span = Span { start: u32::MAX, len: u32::MAX };

    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// A system of which a part is known.
pub(crate) struct Side<'s> {
    system: &'s dyn System,
    stepper: Box<dyn Stepper + 's>,
    style: Style,
    spender: Spender,
    /// The states, their numbers, and where each lies.
    store: Numbered,
    places: Vec<u64>,
    /// The labels of actions.
    actions: ByAction,
    /// Whether a label has been met on this side.
    met: Vec<bool>,
    /// A rule of the model was broken on some transition; it was taken all the same.
    pub(crate) faults: bool,
    components: Components,
    /// All lists, one behind the other, and for the branching style the state before each step.
    moves: Vec<Move>,
    mids: Vec<u32>,
    /// The lists of each node.
    challenges: Vec<Span>,
    answers: Vec<Span>,
    /// By node, another that is known to be bisimilar and stands for it in lists made from now on.
    speakers: Vec<u32>,
    /// The states before this one have been expanded by [`Side::explore`].
    explored: u32,
    scratch: Scratch,
}

/// The components of internal steps that are known.
#[derive(Default)]
struct Components {
    /// Per state: unknown, on the stack of the search with a number, or the component.
    of: Vec<u32>,
    /// Per component: its first state, its edges, how many of these are internal (they come first and lead to components,
    /// the others to states), and whether it has a cycle.
    states: Vec<u32>,
    spans: Vec<Span>,
    internal: Vec<u32>,
    cyclic: Vec<bool>,
    edges: Vec<Move>,
    /// Marks of the last walk.
    mark: Vec<u32>,
    epoch: u32,
}

const UNKNOWN: u32 = u32::MAX;
const ACTIVE: u32 = 1 << 31;

/// A list that is being made is accounted when it is so long, and each time it has doubled.
const FIRST_LIST: usize = 1024;

#[derive(Default)]
struct Scratch {
    state: Vec<u8>,
    successors: Successors,
    /// Transitions of states whose component is not complete.
    raw: Vec<Move>,
    /// States whose component is not complete.
    stack: Vec<u32>,
    closure: Vec<u32>,
    sources: Vec<Move>,
    list: Vec<(Move, u32)>,
    /// Bytes of lists that were taken from here, and of the path on which components are looked for, while they are used.
    taken: usize,
    path: usize,
}

impl<'s> Side<'s> {
    /// The system, with nothing known of it; `index` is how it spends, see [`Spender::Side`].
    pub(crate) fn new(system: &'s dyn System, index: usize, style: Style) -> Self {
        Self {
            system,
            stepper: system.stepper(),
            style,
            spender: Spender::Side(index),
            store: Numbered::default(),
            places: Vec::new(),
            actions: ByAction::default(),
            met: Vec::new(),
            faults: false,
            components: Components::default(),
            moves: Vec::new(),
            mids: Vec::new(),
            challenges: Vec::new(),
            answers: Vec::new(),
            speakers: Vec::new(),
            explored: 0,
            scratch: Scratch::default(),
        }
    }

    /// Goes on exploring everything that can be reached, one state; false if there is none left.
    pub(crate) fn explore(
        &mut self,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        if self.explored as usize == self.places.len() {
            return Ok(false);
        }
        if self.collapses() {
            self.node(self.explored, labels, meter)?;
        } else {
            self.open(self.explored, labels, meter)?;
        }
        self.explored += 1;
        Ok(true)
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        if self.collapses() { self.components.spans.len() } else { self.places.len() }
    }

    /// The transitions of a node, internal ones first, to nodes; all must have been explored. An internal step leads to a
    /// smaller number, where internal steps are looked through.
    pub(crate) fn edges(&self, node: u32) -> impl Iterator<Item = Move> + '_ {
        let collapses = self.collapses();
        let (list, span) = match collapses {
            true => (&self.components.edges, self.components.spans[node as usize]),
            false => (&self.moves, self.challenges[node as usize]),
        };
        list[span.range()].iter().map(move |&step| match step.label {
            TAU => step,
            label if collapses => Move { label, target: self.components.of(step.target) },
            _ => step,
        })
    }

    /// Whether a node is a component with an internal cycle.
    pub(crate) fn is_cyclic(&self, node: u32) -> bool {
        self.collapses() && self.components.cyclic[node as usize]
    }

    /// Has one node of each class stand for all of it, in lists that are made from now on. Those that were made are forgotten.
    pub(crate) fn speak_for(&mut self, speakers: Vec<u32>) {
        self.speakers = speakers;
        self.forget_lists();
        if !self.collapses() {
            // Here the lists are the transitions: they are made anew, shorter.
            self.explored = 0;
        }
    }

    /// Forgets the lists of all nodes; they are made again where somebody looks.
    pub(crate) fn forget_lists(&mut self) {
        (self.moves, self.mids) = (Vec::new(), Vec::new());
        (self.challenges, self.answers) = (Vec::new(), Vec::new());
    }

    /// Notes what it occupies now.
    pub(crate) fn account(&self, labels: &Labels<'_>, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        meter.tick(self.spender, self.bytes(labels), self.states())
    }

    /// The node that stands for another one.
    pub(crate) fn speaker(&self, node: u32) -> u32 {
        self.speakers.get(node as usize).copied().unwrap_or(node)
    }

    /// How many states have been seen.
    pub(crate) fn states(&self) -> u64 {
        self.places.len() as u64
    }

    /// Whether a label has been met.
    pub(crate) fn has_met(&self, label: u32) -> bool {
        self.met.get(label as usize).copied().unwrap_or(false)
    }

    /// The node of the initial state.
    pub(crate) fn root(&mut self, labels: &mut Labels<'_>, meter: &mut Meter<'_, '_>) -> Result<u32, Limit> {
        let mut state = std::mem::take(&mut self.scratch.state);
        self.stepper.initial(&mut state);
        let root = self.intern(&state, meter);
        self.scratch.state = state;
        let root = self.node(root?, labels, meter)?;
        Ok(self.speaker(root))
    }

    /// A state that this node stands for.
    pub(crate) fn read(&self, node: u32, out: &mut Vec<u8>) {
        let state = if self.collapses() { self.components.states[node as usize] } else { node };
        self.store.read(Ref(self.places[state as usize]), out);
    }

    /// The node of a state, if it has been explored.
    pub(crate) fn find(&mut self, state: &[u8]) -> Option<u32> {
        let hash = self.store.hash(state);
        let known = self.store.find(state, hash)?;
        let state = self.store.number(known.at);
        let node = if self.collapses() { self.components.of(state) } else { state };
        (node & ACTIVE == 0).then_some(node)
    }

    /// Whether nodes are components rather than states.
    fn collapses(&self) -> bool {
        self.style != Style::Strong
    }

    /// Makes sure that the lists of a node are there.
    pub(crate) fn open(
        &mut self,
        node: u32,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        if self.challenges.get(node as usize).is_some_and(|&span| span != Span::NONE) {
            return Ok(());
        }
        if self.style == Style::Strong {
            self.expand(node, labels, meter)?;
            let mut list = std::mem::take(&mut self.scratch.list);
            list.clear();
            list.extend(self.scratch.raw.drain(..).map(|step| (step, 0)));
            let span = self.keep(&mut list)?;
            self.scratch.list = list;
            self.set_lists(node, span, span);
        } else {
            let opened = self.open_component(node, labels, meter);
            self.scratch.taken = 0;
            opened?;
        }
        self.account(labels, meter)
    }

    /// What a node can challenge with.
    pub(crate) fn challenges(&self, node: u32) -> Span {
        self.challenges[node as usize]
    }

    /// All that a node can answer.
    pub(crate) fn all_answers(&self, node: u32) -> Span {
        self.answers[node as usize]
    }

    /// The part of a node's answers that has this label.
    pub(crate) fn answers(&self, node: u32, label: u32) -> Span {
        let span = self.answers[node as usize];
        let list = &self.moves[span.range()];
        let first = list.partition_point(|step| step.label < label);
        let len = list[first..].partition_point(|step| step.label == label);
        Span { start: span.start + first as u32, len: len as u32 }
    }

    /// An entry of a list.
    pub(crate) fn step(&self, index: u32) -> Move {
        self.moves[index as usize]
    }

    /// The node before the last step of an answer, where that matters.
    pub(crate) fn mid(&self, index: u32) -> Option<u32> {
        self.mids.get(index as usize).copied()
    }

    fn set_lists(&mut self, node: u32, challenges: Span, answers: Span) {
        let nodes = (node as usize + 1).max(self.challenges.len());
        self.challenges.resize(nodes, Span::NONE);
        self.answers.resize(nodes, Span::NONE);
        self.challenges[node as usize] = challenges;
        self.answers[node as usize] = answers;
    }

    /// Appends a list.
    fn keep(&mut self, list: &mut Vec<(Move, u32)>) -> Result<Span, Limit> {
        let start = self.moves.len();
        let branching = matches!(self.style, Style::Branching { .. });
        if !self.speakers.is_empty() {
            for (step, mid) in &mut *list {
                step.target = self.speaker(step.target);
                *mid = if branching { self.speaker(*mid) } else { 0 };
            }
        }
        list.sort_unstable();
        list.dedup();
        for &(step, mid) in &*list {
            self.moves.push(step);
            if branching {
                self.mids.push(mid);
            }
        }
        let number = |n: usize| u32::try_from(n).map_err(|_| Limit::Memory);
        number(self.moves.len())?;
        Ok(Span { start: number(start)?, len: number(self.moves.len() - start)? })
    }

    /// The lists of a component.
    fn open_component(
        &mut self,
        node: u32,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let divergence = self.style == (Style::Branching { divergence: true });
        let mut closure = std::mem::take(&mut self.scratch.closure);
        let mut list = std::mem::take(&mut self.scratch.list);
        closure.clear();
        self.components.closure([node], &mut closure);
        // The answers first, since they make nodes of all targets.
        list.clear();
        let mut most = FIRST_LIST;
        match self.style {
            Style::Strong => unreachable!("its nodes are states"),
            Style::TauStar | Style::Delay => {
                for &mid in &closure {
                    self.visible_steps(mid, 0, &mut list, labels, meter)?;
                    self.note(&closure, &mut list, &mut most, labels, meter)?;
                }
                if self.style == Style::Delay {
                    list.extend(closure.iter().map(|&target| (Move { label: TAU, target }, 0)));
                }
            }
            Style::Weak => self.weak_answers(&closure, &mut list, labels, meter)?,
            Style::Branching { .. } => {
                for &mid in &closure {
                    self.visible_steps(mid, mid, &mut list, labels, meter)?;
                    list.extend(self.components.internal(mid).iter().map(|&step| (step, mid)));
                    // To stay there is an answer as well, not only at the node itself: without it every verdict would be the
                    // same, but a refutation need not tell why this answer is no good, and its formula would be wrong.
                    list.push((Move { label: TAU, target: mid }, mid));
                    if divergence && self.components.cyclic[mid as usize] {
                        list.push((Move { label: DIVERGES, target: mid }, mid));
                    }
                    self.note(&closure, &mut list, &mut most, labels, meter)?;
                }
            }
        }
        meter.work(list.len())?;
        let answers = self.keep(&mut list)?;
        let challenges = if self.style == Style::TauStar {
            answers
        } else {
            list.clear();
            self.visible_steps(node, node, &mut list, labels, meter)?;
            list.extend(self.components.internal(node).iter().map(|&step| (step, node)));
            if divergence && self.components.cyclic[node as usize] {
                list.push((Move { label: DIVERGES, target: node }, node));
            }
            self.keep(&mut list)?
        };
        self.set_lists(node, challenges, answers);
        (self.scratch.closure, self.scratch.list) = (closure, list);
        Ok(())
    }

    /// Takes note of a list that is being made, and of the closure that it is made from, when it has become twice as long as it was; what is
    /// there more than once goes first. A closure may lead to the same few nodes a million times.
    fn note(
        &mut self,
        closure: &[u32],
        list: &mut Vec<(Move, u32)>,
        most: &mut usize,
        labels: &Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        if list.len() < *most {
            return Ok(());
        }
        meter.work(list.len())?;
        list.sort_unstable();
        list.dedup();
        *most = FIRST_LIST.max(2 * list.len());
        self.scratch.taken = size_of_val(closure) + size_of::<(Move, u32)>() * list.capacity();
        self.account(labels, meter)
    }

    /// `=> -a-> =>`: for each label one walk from all that the label leads to.
    fn weak_answers(
        &mut self,
        closure: &[u32],
        list: &mut Vec<(Move, u32)>,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let mut most = FIRST_LIST;
        for &mid in closure {
            self.visible_steps(mid, 0, list, labels, meter)?;
            self.note(closure, list, &mut most, labels, meter)?;
        }
        list.sort_unstable();
        list.dedup();
        most = FIRST_LIST;
        let mut sources = std::mem::take(&mut self.scratch.sources);
        sources.clear();
        sources.extend(list.drain(..).map(|(step, _)| step));
        let mut reached = Vec::new();
        for group in sources.chunk_by(|a, b| a.label == b.label) {
            reached.clear();
            self.components.closure(group.iter().map(|step| step.target), &mut reached);
            let label = group[0].label;
            list.extend(reached.iter().map(|&target| (Move { label, target }, 0)));
            meter.work(reached.len())?;
            self.note(&reached, list, &mut most, labels, meter)?;
        }
        list.extend(closure.iter().map(|&target| (Move { label: TAU, target }, 0)));
        self.scratch.sources = sources;
        Ok(())
    }

    /// Appends the visible steps of a component itself, their targets made nodes.
    fn visible_steps(
        &mut self,
        node: u32,
        mid: u32,
        list: &mut Vec<(Move, u32)>,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let span = self.components.spans[node as usize];
        for index in span.start + self.components.internal[node as usize]..span.start + span.len {
            let Move { label, target } = self.components.edges[index as usize];
            let target = self.node(target, labels, meter)?;
            list.push((Move { label, target }, mid));
        }
        Ok(())
    }

    /// The node of a state.
    fn node(&mut self, state: u32, labels: &mut Labels<'_>, meter: &mut Meter<'_, '_>) -> Result<u32, Limit> {
        if !self.collapses() {
            return Ok(state);
        }
        if self.components.of(state) & ACTIVE != 0 {
            self.find_components(state, labels, meter)?;
        }
        Ok(self.components.of(state))
    }

    /// Finds the component of a state, and of all that it reaches inside. If a limit is reached meanwhile, those that are not complete are unknown
    /// again: whoever has memory left goes on with what is known of a side.
    fn find_components(
        &mut self,
        start: u32,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let mut stack = std::mem::take(&mut self.scratch.stack);
        stack.clear();
        let found = self.tarjan(start, &mut stack, labels, meter);
        if found.is_err() {
            stack.iter().for_each(|&state| self.components.set(state, UNKNOWN));
            self.scratch.raw.clear();
        }
        (self.scratch.stack, self.scratch.path) = (stack, 0);
        found
    }

    /// Tarjan's algorithm over internal steps, from a state whose component is unknown. The transitions of a state are
    /// kept only until its component is complete: then they are the last ones.
    fn tarjan(
        &mut self,
        start: u32,
        stack: &mut Vec<u32>,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        struct Frame {
            state: u32,
            /// Its number, which is its place on the stack, and the least that it reaches.
            index: u32,
            low: u32,
            /// Its transitions, and the next of the internal ones.
            edges: usize,
            next: usize,
            end: usize,
        }
        let mut path = Vec::<Frame>::new();
        let mut enter = Some(start);
        loop {
            if let Some(state) = enter.take() {
                let edges = self.scratch.raw.len();
                self.expand(state, labels, meter)?;
                let internal = self.scratch.raw[edges..].partition_point(|step| step.label == TAU);
                let index = stack.len() as u32;
                stack.push(state);
                self.components.set(state, ACTIVE | index);
                let frames = path.capacity();
                path.push(Frame { state, index, low: index, edges, next: edges, end: edges + internal });
                if path.capacity() > frames {
                    // The path may be as long as there are states.
                    self.scratch.path = size_of::<Frame>() * path.capacity() + 4 * stack.capacity();
                    self.account(labels, meter)?;
                }
            }
            let Some(frame) = path.last_mut() else { return Ok(()) };
            if frame.next < frame.end {
                let target = self.scratch.raw[frame.next].target;
                frame.next += 1;
                match self.components.of(target) {
                    UNKNOWN => enter = Some(target),
                    active if active & ACTIVE != 0 => frame.low = frame.low.min(active & !ACTIVE),
                    _ => {}
                }
                continue;
            }
            let Frame { state, index, low, edges, .. } = path.pop().expect("there is a frame");
            if let Some(parent) = path.last_mut() {
                parent.low = parent.low.min(low);
            }
            if low == index {
                self.components.complete(state, &stack[index as usize..], &mut self.scratch.raw, edges)?;
                stack.truncate(index as usize);
                meter.tick(self.spender, self.bytes(labels), self.states())?;
            }
        }
    }

    /// Appends the transitions of a state to the scratch list, sorted, without repetitions; nothing, if a limit is reached.
    fn expand(
        &mut self,
        state: u32,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let begin = self.scratch.raw.len();
        let expanded = self.append_transitions(state, labels, meter);
        if expanded.is_err() {
            self.scratch.raw.truncate(begin);
        }
        expanded
    }

    fn append_transitions(
        &mut self,
        state: u32,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        let mut bytes = std::mem::take(&mut self.scratch.state);
        let mut successors = std::mem::take(&mut self.scratch.successors);
        self.store.read(Ref(self.places[state as usize]), &mut bytes);
        self.stepper.successors(&bytes, &mut successors);
        let begin = self.scratch.raw.len();
        for successor in successors.iter() {
            if let Some(fault) = successor.fault {
                if self.system.gave_up(fault) {
                    return Err(Limit::Sequence);
                }
                self.faults = true;
            }
            let action = self.stepper.action(&bytes, successor.transition);
            let label = self.label(action, labels);
            let target = self.intern(successor.state, meter)?;
            self.scratch.raw.push(Move { label, target });
        }
        (self.scratch.state, self.scratch.successors) = (bytes, successors);
        let new = &mut self.scratch.raw[begin..];
        new.sort_unstable();
        let mut kept = begin;
        for at in begin..self.scratch.raw.len() {
            if at == begin || self.scratch.raw[at] != self.scratch.raw[kept - 1] {
                self.scratch.raw[kept] = self.scratch.raw[at];
                kept += 1;
            }
        }
        self.scratch.raw.truncate(kept);
        meter.tick(self.spender, self.bytes(labels), self.states())
    }

    fn label(&mut self, action: Action, labels: &mut Labels<'_>) -> u32 {
        if let Some(label) = self.actions.get(action) {
            return label;
        }
        let label = labels.number(&self.system.action_name(action));
        self.actions.set(action, label);
        self.met.resize(self.met.len().max(label as usize + 1), false);
        self.met[label as usize] = true;
        label
    }

    fn intern(&mut self, state: &[u8], meter: &Meter<'_, '_>) -> Result<u32, Limit> {
        let room = Room { bytes: self.store.bytes().saturating_add(meter.room()), depth: 0 };
        let hash = self.store.hash(state);
        match self.store.visit(state, hash, room)? {
            Visit::Known(known) => Ok(self.store.number(known.at)),
            Visit::New(at) => {
                let number = u32::try_from(self.places.len()).ok().filter(|&n| n < ACTIVE - 1);
                let number = number.ok_or(Limit::Memory)?;
                self.store.set_number(at, number);
                self.store.set_status(at, Status::Permanent);
                self.places.push(at.0);
                Ok(number)
            }
        }
    }

    fn bytes(&self, labels: &Labels<'_>) -> usize {
        // The labels are charged to the left side.
        let labels = if matches!(self.spender, Spender::Side(0 | 2)) { labels.named.0.bytes() } else { 0 };
        let Components { of, states, spans, internal, cyclic, edges, mark, .. } = &self.components;
        let words = of.capacity() + states.capacity() + internal.capacity() + mark.capacity();
        let words = words + self.mids.capacity();
        let doubles = spans.capacity() + edges.capacity() + self.moves.capacity() + self.places.capacity();
        let doubles = doubles + self.challenges.capacity() + self.answers.capacity();
        let words = words + self.speakers.capacity();
        let Scratch { raw, stack, closure, sources, list, taken, path, .. } = &self.scratch;
        let scratch = 8 * (raw.capacity() + sources.capacity())
            + 4 * (stack.capacity() + closure.capacity())
            + size_of::<(Move, u32)>() * list.capacity()
            + taken
            + path;
        self.store.bytes()
            + labels
            + self.actions.bytes()
            + 4 * words
            + 8 * doubles
            + scratch
            + cyclic.capacity()
            + self.met.capacity()
    }
}

impl Components {
    fn of(&self, state: u32) -> u32 {
        self.of.get(state as usize).copied().unwrap_or(UNKNOWN)
    }

    fn set(&mut self, state: u32, value: u32) {
        if self.of.len() <= state as usize {
            self.of.resize(state as usize + 1, UNKNOWN);
        }
        self.of[state as usize] = value;
    }

    /// The internal steps that leave a component.
    fn internal(&self, component: u32) -> &[Move] {
        let Span { start, .. } = self.spans[component as usize];
        &self.edges[start as usize..(start + self.internal[component as usize]) as usize]
    }

    /// Makes a component of the states whose transitions are `raw[edges..]`, and takes these away.
    fn complete(
        &mut self,
        first: u32,
        members: &[u32],
        raw: &mut Vec<Move>,
        edges: usize,
    ) -> Result<(), Limit> {
        let component = self.spans.len() as u32;
        for &state in members {
            self.set(state, component);
        }
        let mut cyclic = false;
        for step in &mut raw[edges..] {
            if step.label == TAU {
                step.target = self.of(step.target);
                cyclic |= step.target == component;
            }
        }
        raw[edges..].sort_unstable();
        let start = self.edges.len();
        for &step in &raw[edges..] {
            let inert = step == Move { label: TAU, target: component };
            if !inert && self.edges[start..].last() != Some(&step) {
                self.edges.push(step);
            }
        }
        raw.truncate(edges);
        let number = |n: usize| u32::try_from(n).map_err(|_| Limit::Memory);
        number(self.edges.len())?;
        self.spans.push(Span { start: number(start)?, len: number(self.edges.len() - start)? });
        self.internal.push(self.edges[start..].partition_point(|step| step.label == TAU) as u32);
        self.states.push(first);
        self.cyclic.push(cyclic);
        self.mark.push(0);
        Ok(())
    }

    /// Appends all that can be reached inside from some components, these included.
    fn closure(&mut self, from: impl IntoIterator<Item = u32>, out: &mut Vec<u32>) {
        self.epoch += 1;
        let begin = out.len();
        for component in from {
            self.reach(component, out);
        }
        let mut next = begin;
        while let Some(&component) = out.get(next) {
            next += 1;
            let span = self.spans[component as usize];
            for index in span.start..span.start + self.internal[component as usize] {
                self.reach(self.edges[index as usize].target, out);
            }
        }
    }

    fn reach(&mut self, component: u32, out: &mut Vec<u32>) {
        if self.mark[component as usize] != self.epoch {
            self.mark[component as usize] = self.epoch;
            out.push(component);
        }
    }
}
