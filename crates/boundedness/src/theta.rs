//! The relations between two states of a branch that prove a channel unbounded, and the searches for such a pair.
//!
//! Let S -w-> S' on a branch with equal control, and let C be the contents, phi what w sends, psi what it takes, on each
//! channel. Two relations are here, and where one is true with S != S', w can be fired from S' again, and so for ever:
//!
//! * [`PairCondition::Th93`] (on-the-fly-verification-1993, 4.3): C(S).phi is a prefix of C(S').phi. It is true exactly when w
//!   can be repeated for ever and something grows, so that nothing better names a sequence. On streams: with p messages
//!   taken by w, the stream has period p from what S has read to what S' has written, and its last p letters are the first
//!   p of phi. Two comparisons of pieces per channel.
//! * [`PairCondition::Theta`] (unbounded-fifo-channels-1990, definition 6, first form): C(S) is a prefix of C(S'), and on each
//!   growing channel w takes nothing, or there is an earlier state D -v-> S such that phi(v) and phi(w) are powers of one
//!   word, both not empty, and psi(v) is a suffix of psi(w). It implies the other one, one period later at the latest.
//!   The second form that the report prints lets phi(v) be empty, and is wrong (tests/cases/cfsm/literal-false-alarm.fifo).
//!
//! The searches are those of both papers' pseudo-code, corrected (`docs/papers.md`, errata): equal variables and S != S' are asked for, the
//! root takes part, loops are looked for on the whole path and not in the window only
//! (tests/cases/cfsm/long-cycle.fifo), a found pair ends the search. States of the path are indexed by their control.
//!
//! *Unbounded* is a property of the branch and always right. *Bounded* is right whatever relation, window and memory are:
//! every state entered had all its transitions fired, and each led to a state on the path or in the memory. What a memory
//! may lose is a pair, whose inner states were pruned (tests/cases/cfsm/pruning-loses.fifo): so a search that runs into a
//! limit says nothing, and [`super`] tries others.

use crate::clock::Clock;
use crate::pump::{Pumped, pump};
use crate::stream::{Branch, Node};
use crate::view::{Effect, Fifos, Letter, Parts, Traffic};
use elnath_kernel::rng::Rng;
use elnath_kernel::{Counters, Limit, Transition, Watch};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// What is asked of a pair of states.
#[doc(alias = "Theta")]
#[doc(alias = "relation")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairCondition {
    /// The exact one, of 1993.
    #[default]
    Th93,
    /// That of 1990, in its first form.
    Theta,
}

/// How a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSearch {
    /// Depth first, with a memory of visited states.
    DepthFirst,
    /// Depth first through the tree: only loops end a branch.
    WithoutMemory,
    /// Depth first with a memory, the last transitions first.
    Backwards,
    /// Breadth first, each state once.
    BreadthFirst,
}

impl PairSearch {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            PairSearch::DepthFirst => "depth first",
            PairSearch::WithoutMemory => "depth first without memory",
            PairSearch::Backwards => "depth first, last transitions first",
            PairSearch::BreadthFirst => "breadth first",
        }
    }
}

/// How a search is made, and what it may cost.
pub struct PairSearchPlan<'a> {
    /// Which search.
    pub search: PairSearch,
    /// What is asked of a pair.
    pub relation: PairCondition,
    /// How many of the latest states of a branch a new one is compared with.
    pub window: usize,
    /// Longest branch.
    pub depth: usize,
    /// Most transitions fired.
    pub firings: u64,
    /// Bytes for states.
    pub memory: usize,
    /// The seed of what is forgotten first.
    pub seed: u64,
    /// Called now and then.
    pub watch: &'a mut Watch<'a>,
}

/// What a search found.
#[derive(Debug)]
pub enum Found {
    /// The reachable states are finitely many, and all were seen.
    Closed,
    /// A sequence that can be repeated for ever: the run to it, and the sequence.
    Pair(Box<(Vec<Transition>, Pumped)>),
    /// Something ran out.
    Limit(Limit),
}

/// What a search did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Transitions fired.
    pub fired: u64,
    /// States entered.
    pub states: u64,
    /// The longest branch.
    pub depth: usize,
    /// Pairs that were tested.
    pub tested: u64,
    /// Pairs that could not be repeated when it was tried.
    pub refuted: u64,
    /// Visited states that were forgotten.
    pub replaced: u64,
    /// Transitions that ended in a fault.
    pub faults: u64,
    /// Bytes at the most.
    pub bytes: usize,
}

impl Figures {
    /// The same as the watch wants it.
    pub(super) fn counters(&self) -> Counters {
        Counters {
            states: self.states,
            insertions: self.states,
            generated: self.fired,
            transitions: self.fired,
            depth: self.depth,
            store_bytes: self.bytes,
            ..Counters::default()
        }
    }
}

/// The most messages that a channel held, and a run to there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// How many.
    pub length: usize,
    /// The run; its last transition is the one in which they were that many.
    pub run: Vec<Transition>,
    /// The state before the last transition, or the first state.
    pub state: Vec<u8>,
    /// How long the branch was, if the run is still to be noted.
    pub(super) pending: Option<usize>,
}

/// The peaks of all channels, by their numbers.
pub type Peaks = BTreeMap<usize, Peak>;

/// What channels hold at first.
pub(super) fn first_peaks(fifos: &mut dyn Fifos, root: &[u8], peaks: &mut Peaks) {
    let mut lengths = Vec::new();
    fifos.lengths(root, &mut lengths);
    for (number, length) in lengths {
        let peak = peaks.entry(number).or_default();
        if peak.state.is_empty() || peak.length < length {
            *peak = Peak { length, state: root.to_vec(), ..Peak::default() };
        }
    }
}

/// Looks for a pair, or for the end of the state space.
pub fn search(
    fifos: &mut dyn Fifos,
    root: &[u8],
    plan: &mut PairSearchPlan<'_>,
    peaks: &mut Peaks,
) -> (Found, Figures) {
    let mut walk = PairWalk {
        fifos,
        figures: Figures::default(),
        peaks,
        branch: Branch::default(),
        controls: HashMap::new(),
        path: Vec::new(),
        rng: Rng::new(plan.seed),
        parts: Parts::default(),
        effect: Effect::default(),
        path_bytes: 0,
        clock: Clock::default(),
        gave_up: false,
    };
    let found = match plan.search {
        PairSearch::BreadthFirst => walk.breadth_first(root, plan),
        PairSearch::DepthFirst | PairSearch::WithoutMemory | PairSearch::Backwards => {
            walk.depth_first(root, plan)
        }
    };
    walk.settle_peaks(0);
    let found = if let (Found::Closed, true) = (&found, walk.gave_up) {
        Found::Limit(Limit::Sequence)
    } else {
        found
    };
    (found, walk.figures)
}

/// A state on the path.
struct Frame {
    state: Rc<[u8]>,
    control: u64,
    /// How it was entered; that of the root means nothing.
    by: Transition,
    /// Transitions still to be fired, the next one last.
    pending: Vec<Transition>,
    /// Bytes that it costs.
    cost: usize,
}

struct PairWalk<'a> {
    fifos: &'a mut dyn Fifos,
    figures: Figures,
    peaks: &'a mut Peaks,
    branch: Branch,
    /// Where on the path each control occurs.
    controls: HashMap<u64, Vec<u32>>,
    path: Vec<Frame>,
    rng: Rng,
    parts: Parts,
    effect: Effect,
    path_bytes: usize,
    clock: Clock,
    /// Some transition could not be computed to its end: there may be states that were not seen.
    gave_up: bool,
}

/// Bytes that a state costs beside its own.
pub(super) const OVERHEAD: usize = 64;

impl PairWalk<'_> {
    /// The loop of both papers.
    fn depth_first(&mut self, root: &[u8], plan: &mut PairSearchPlan<'_>) -> Found {
        let mut memory = Memory::new(plan.search != PairSearch::WithoutMemory);
        let mut on_path: HashSet<Rc<[u8]>> = HashSet::new();
        let mut next = Vec::new();
        self.begin(root);
        self.enter(root.into(), Transition(0), plan, &mut on_path);
        while let Some(top) = self.path.last_mut() {
            let Some(t) = top.pending.pop() else {
                let left = self.leave(&mut on_path);
                let room = plan.memory.saturating_sub(self.bytes());
                memory.keep(left, &mut self.rng, room, &mut self.figures);
                continue;
            };
            let from = Rc::clone(&top.state);
            if let Some(limit) = self.limit(plan, &memory) {
                return Found::Limit(limit);
            }
            if !self.fire(&from, t, &mut next) {
                continue;
            }
            if on_path.contains(&next[..]) {
                continue;
            }
            self.branch.push(&self.effect.traffic, &self.parts.contents);
            let control = hash(&self.parts.control);
            if let Some(pair) = self.pair(control, t, plan) {
                return pair;
            }
            if memory.holds(&next) {
                self.branch.pop();
            } else if self.path.len() >= plan.depth {
                self.branch.pop();
                return Found::Limit(Limit::Depth);
            } else {
                self.enter(next[..].into(), t, plan, &mut on_path);
            }
        }
        Found::Closed
    }

    /// Each state once; the test comes before the look whether it is known.
    fn breadth_first(&mut self, root: &[u8], plan: &mut PairSearchPlan<'_>) -> Found {
        struct Reached {
            state: Rc<[u8]>,
            from: Option<u32>,
            by: Transition,
            /// What the transition does on channels: firing it again for every path would cost more than all the rest.
            traffic: Box<[Traffic]>,
        }
        let mut known: HashSet<Rc<[u8]>> = HashSet::new();
        let mut reached =
            vec![Reached { state: root.into(), from: None, by: Transition(0), traffic: Box::default() }];
        known.insert(Rc::clone(&reached[0].state));
        let mut on_path: HashSet<Rc<[u8]>> = HashSet::new();
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        // The numbers of the states on the path.
        let mut chain: Vec<u32> = Vec::new();
        let mut bytes = root.len() + OVERHEAD;
        self.begin(root);
        let mut index = 0;
        while index < reached.len() {
            // The path to this state: what it shares with the one before stays.
            let mut wanted = vec![index as u32];
            while let Some(from) = reached[wanted[wanted.len() - 1] as usize].from {
                wanted.push(from);
            }
            wanted.reverse();
            let shared = chain.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
            while chain.len() > shared {
                chain.pop();
                self.leave(&mut on_path);
            }
            for &number in &wanted[shared..] {
                let Reached { state, by, traffic, .. } = &reached[number as usize];
                self.fifos.split(state, &mut self.parts);
                if !self.path.is_empty() {
                    self.branch.push(traffic, &self.parts.contents);
                }
                self.put(Rc::clone(state), *by, Vec::new(), &mut on_path);
                chain.push(number);
            }
            self.figures.states += 1;
            self.figures.depth = self.figures.depth.max(self.path.len());
            if self.path.len() > plan.depth {
                return Found::Limit(Limit::Depth);
            }
            let from = Rc::clone(&reached[index].state);
            self.fifos.enabled(&from, &mut enabled);
            for t in std::mem::take(&mut enabled) {
                self.figures.bytes = self.figures.bytes.max(bytes + self.branch.bytes());
                if bytes + self.branch.bytes() > plan.memory {
                    return Found::Limit(Limit::Memory);
                }
                if let Some(limit) = self.watch(plan, reached.len() as u64) {
                    return Found::Limit(limit);
                }
                if !self.fire(&from, t, &mut next) || on_path.contains(&next[..]) {
                    continue;
                }
                self.branch.push(&self.effect.traffic, &self.parts.contents);
                let control = hash(&self.parts.control);
                if let Some(pair) = self.pair(control, t, plan) {
                    return pair;
                }
                self.branch.pop();
                if known.contains(&next[..]) {
                    continue;
                }
                let state: Rc<[u8]> = next[..].into();
                let traffic: Box<[Traffic]> = self.effect.traffic[..].into();
                bytes += 2 * OVERHEAD + state.len() + size_of_val(&*traffic);
                known.insert(Rc::clone(&state));
                reached.push(Reached { state, from: Some(index as u32), by: t, traffic });
            }
            index += 1;
        }
        Found::Closed
    }

    fn begin(&mut self, root: &[u8]) {
        self.fifos.split(root, &mut self.parts);
        self.branch = Branch::new(&self.parts.contents);
        first_peaks(self.fifos, root, self.peaks);
    }

    /// Puts a state, whose parts and streams are there, on the path.
    fn enter(
        &mut self,
        state: Rc<[u8]>,
        by: Transition,
        plan: &PairSearchPlan<'_>,
        on_path: &mut HashSet<Rc<[u8]>>,
    ) {
        let mut pending = Vec::new();
        self.fifos.enabled(&state, &mut pending);
        if plan.search != PairSearch::Backwards {
            pending.reverse();
        }
        self.put(state, by, pending, on_path);
        self.figures.states += 1;
        self.figures.depth = self.figures.depth.max(self.path.len() - 1);
    }

    fn put(
        &mut self,
        state: Rc<[u8]>,
        by: Transition,
        pending: Vec<Transition>,
        on_path: &mut HashSet<Rc<[u8]>>,
    ) {
        let control = hash(&self.parts.control);
        self.controls.entry(control).or_default().push(self.path.len() as u32);
        let cost = state.len() + pending.len() * 8 + OVERHEAD;
        self.path_bytes += cost;
        on_path.insert(Rc::clone(&state));
        self.path.push(Frame { state, control, by, pending, cost });
        debug_assert_eq!(self.path.len(), self.branch.len(), "a branch has the states of the path");
    }

    /// Takes the last state off the path.
    fn leave(&mut self, on_path: &mut HashSet<Rc<[u8]>>) -> Rc<[u8]> {
        self.settle_peaks(self.path.len() - 1);
        let frame = self.path.pop().expect("the path is not empty");
        self.path_bytes -= frame.cost;
        if let Some(places) = self.controls.get_mut(&frame.control) {
            places.pop();
            if places.is_empty() {
                self.controls.remove(&frame.control);
            }
        }
        on_path.remove(&frame.state);
        self.branch.pop();
        frame.state
    }

    /// Fires a transition and splits what it leads to; false if it ended in a fault.
    fn fire(&mut self, from: &[u8], t: Transition, next: &mut Vec<u8>) -> bool {
        self.figures.fired += 1;
        if let Err(fault) = self.fifos.fire(from, t, next, &mut self.effect) {
            self.figures.faults += 1;
            self.gave_up |= self.fifos.gave_up(fault);
            return false;
        }
        self.fifos.split(next, &mut self.parts);
        for &(number, length) in &self.effect.peaks {
            let peak = self.peaks.entry(number).or_default();
            if length > peak.length || peak.state.is_empty() {
                *peak = Peak { length, run: vec![t], state: from.to_vec(), pending: Some(self.path.len()) };
            }
        }
        true
    }

    /// Notes the runs to peaks that were met from states of the path that are about to leave it. Doing it at once would
    /// copy the path once for every message that a channel takes on a long branch.
    fn settle_peaks(&mut self, kept: usize) {
        for peak in self.peaks.values_mut() {
            if let Some(length) = peak.pending.filter(|&length| length > kept) {
                let last = peak.run[0];
                peak.run = self.path[1..length].iter().map(|frame| frame.by).chain([last]).collect();
                peak.pending = None;
            }
        }
    }

    fn bytes(&self) -> usize {
        self.path_bytes + self.branch.bytes()
    }

    fn limit(&mut self, plan: &mut PairSearchPlan<'_>, memory: &Memory) -> Option<Limit> {
        let bytes = self.bytes() + memory.bytes;
        self.figures.bytes = self.figures.bytes.max(bytes);
        if self.bytes() > plan.memory {
            return Some(Limit::Memory);
        }
        self.watch(plan, memory.all.len() as u64)
    }

    fn watch(&mut self, plan: &mut PairSearchPlan<'_>, stored: u64) -> Option<Limit> {
        if self.figures.fired >= plan.firings {
            return Some(Limit::States);
        }
        if !self.clock.is_due(self.fifos.work()) {
            return None;
        }
        (plan.watch)(&Counters { stored, ..self.figures.counters() })
    }

    /// Compares the state at the end of the branch with those before it that have the same control.
    fn pair(&mut self, control: u64, last: Transition, plan: &mut PairSearchPlan<'_>) -> Option<Found> {
        let end = self.branch.len() - 1;
        let places = self.controls.get(&control)?;
        let recent = places.iter().rev().map(|&at| at as usize).take_while(|at| end - at <= plan.window);
        let mut candidates = Vec::new();
        for at in recent {
            self.figures.tested += 1;
            let holds = match plan.relation {
                PairCondition::Th93 => th93(&self.branch, at, end),
                PairCondition::Theta => theta(&self.branch, at, end),
            };
            if holds {
                candidates.push(at);
            }
        }
        for at in candidates {
            let steps = self.path[at + 1..].iter().map(|frame| frame.by).chain([last]);
            let w: Vec<Transition> = steps.collect();
            let state = Rc::clone(&self.path[at].state);
            let (mut limit, counters) = (None, self.figures.counters());
            let mut go_on = |fifos: &dyn Fifos| {
                if self.clock.is_due(fifos.work()) {
                    limit = (plan.watch)(&counters);
                }
                limit.is_none()
            };
            if let Some(pumped) = pump(self.fifos, &state, &w, &mut go_on) {
                let prefix = self.path[1..=at].iter().map(|frame| frame.by).collect();
                return Some(Found::Pair(Box::new((prefix, pumped))));
            }
            if let Some(limit) = limit {
                return Some(Found::Limit(limit));
            }
            self.figures.refuted += 1;
        }
        None
    }
}

/// C(S).phi is a prefix of C(S').phi on every channel, and some channel has grown: on streams, in constant time.
pub fn th93(branch: &Branch, i: usize, j: usize) -> bool {
    let (from, to) = (branch.node(i), branch.node(j));
    from.first_stream == to.first_stream
        && grows(branch, from, to)
        && (0..to.channels).all(|channel| {
            let (before, after) = (branch.mark(from, channel), branch.mark(to, channel));
            let taken = after.read - before.read;
            let end = after.written;
            branch.alike(to, channel, before.read..end - taken, after.read..end)
                && branch.alike(to, channel, end - taken..end, before.written..before.written + taken)
        })
}

/// No channel is shorter and some channel is longer.
fn grows(branch: &Branch, from: Node, to: Node) -> bool {
    let lengths = |channel| (branch.mark(from, channel).length(), branch.mark(to, channel).length());
    let mut longer = false;
    (0..to.channels).all(|channel| {
        let (before, after) = lengths(channel);
        longer |= before < after;
        before <= after
    }) && longer
}

/// Definition 6 of the report, first form.
#[doc(alias = "Θ")]
pub fn theta(branch: &Branch, i: usize, j: usize) -> bool {
    let (from, to) = (branch.node(i), branch.node(j));
    from.first_stream == to.first_stream
        && grows(branch, from, to)
        && (0..to.channels).all(|channel| theta_on(branch, i, j, channel))
}

fn theta_on(branch: &Branch, i: usize, j: usize, channel: usize) -> bool {
    let (from, to) = (branch.node(i), branch.node(j));
    let (before, after) = (branch.mark(from, channel), branch.mark(to, channel));
    let length = before.length();
    let is_prefix = branch.alike(to, channel, before.read..before.written, after.read..after.read + length);
    if !is_prefix || after.length() == length {
        return is_prefix;
    }
    let taken = after.read - before.read;
    if taken == 0 {
        return true;
    }
    let sent = after.written - before.written;
    // D, and v from D to S.
    let epoch = |d: &usize| branch.node(*d).first_stream == from.first_stream;
    (0..=i).rev().take_while(epoch).any(|d| {
        let history = branch.mark(branch.node(d), channel);
        let (sent_before, taken_before) = (before.written - history.written, before.read - history.read);
        // Two words that commute and are not empty are powers of one word.
        sent_before > 0
            && taken_before <= taken
            && branch.alike(
                to,
                channel,
                history.written..history.written + sent,
                before.written..after.written,
            )
            && branch.alike(
                to,
                channel,
                history.written + sent..after.written,
                history.written..before.written,
            )
            && branch.alike(to, channel, after.read - taken_before..after.read, history.read..before.read)
    })
}

fn hash(control: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    control.hash(&mut hasher);
    hasher.finish()
}

/// Visited states. When there is no room, one of them, chosen by chance, is forgotten for each that comes.
struct Memory {
    keeps: bool,
    all: HashSet<Rc<[u8]>>,
    list: Vec<Rc<[u8]>>,
    bytes: usize,
}

impl Memory {
    fn new(keeps: bool) -> Self {
        Self { keeps, all: HashSet::new(), list: Vec::new(), bytes: 0 }
    }

    fn holds(&self, state: &[u8]) -> bool {
        self.all.contains(state)
    }

    fn keep(&mut self, state: Rc<[u8]>, rng: &mut Rng, room: usize, figures: &mut Figures) {
        if !self.keeps {
            return;
        }
        let cost = state.len() + OVERHEAD;
        while self.bytes + cost > room && !self.list.is_empty() {
            let victim = self.list.swap_remove(rng.below(self.list.len() as u64) as usize);
            self.bytes -= victim.len() + OVERHEAD;
            self.all.remove(&victim);
            figures.replaced += 1;
        }
        if self.bytes + cost <= room && self.all.insert(Rc::clone(&state)) {
            self.list.push(state);
            self.bytes += cost;
        }
    }
}

/// A content for people: its letters, repeated ones as powers.
pub fn show_content(fifos: &dyn Fifos, state: &[u8], channel: usize, content: &[Letter]) -> String {
    let mut shown: Vec<String> = Vec::new();
    for run in content.chunk_by(|a, b| a == b) {
        let letter = fifos.letter(state, channel, run[0]);
        shown.push(if run.len() > 1 { format!("{letter}^{}", run.len()) } else { letter });
    }
    shown.join(" ")
}
