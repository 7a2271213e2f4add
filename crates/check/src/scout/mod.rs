//! The portfolio: a breadth-first walk with scouts, small searches that go deep where the walk goes wide.
//!
//! A breadth-first walk finds a shortest run, and proves that there is none by seeing everything. A violation that is
//! thousands of steps deep in a wide system is out of its reach, although a depth-first search may run straight into it. So
//! when the walk has entered its first states ([`Portfolio::alone`]) without an answer, scouts get a small share of the
//! effort ([`Portfolio::per_mille`]): depth first in the given and in the reversed order of transitions, then with other
//! orders drawn from seeds ([`depth_first`]), and walks that prefer what was rarely done ([`rarest`]).
//! In the corpora at hand SPIN's depth-first search finds its first error within 212,000 states (one: 620,000), which a
//! share of some per cent reaches in about a second.
//!
//! Scouts share nothing with the walk but the system and the question's hooks: `Holds` is the answer of the walk alone, and
//! means what it means without them. They take memory out of the same grant, at most a [`SHARE_OF_MEMORY`]th of it, and
//! a scout that needs more is replaced by another. Effort is counted, not measured, so that with one worker the same command does
//! the same every time: a transition to a small state is 1, one to a large state more (`effort_of`), and each of the small
//! steps that a transition may be made of ([`Stepper::work`](elnath_kernel::Stepper::work)) is 1 too. A
//! processor makes an effort of 10 to 20 million a second: the figures are from models with 50 ns to 4 µs a transition. The leader of the walk lets them advance whenever it calls [`Budget::watch`](elnath_kernel::Budget): one thread more
//! would need a processor more, and with one worker there is none.
//!
//! What a scout has found is not told at once: the walk goes on until it has made the effort of most of a second
//! ([`Portfolio::patience`]), since what it finds is shorter; unless the run is so long that the walk will hardly come near it.
//! After that the scout's run is told, [shortened](crate::shorten).
//!
//! One store for all, in which depth-first workers mark what they have seen for the walk too, was considered: the walk
//! would lose its levels, and with them shortest runs and the depth.

mod depth_first;
mod rarest;

use depth_first::DepthFirst;
use elnath_kernel::budget::{WATCH_INTERVAL, WATCH_WORK};
use elnath_kernel::search::Order;
use elnath_kernel::{Counters, Edge, Hooks, Stepper, Successors, System, Transition, Watch};
use rarest::Rarest;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How effort is shared between the walk and its scouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portfolio {
    /// How much effort the walk makes before scouts set out. If there is none, they do so a little before the walk.
    pub alone: u64,
    /// How much effort scouts make for every thousand of the walk's; twice as much in the first part of a second.
    pub per_mille: u64,
    /// How much effort the walk makes in all before it gives way to what a scout has found; it gives way at once to a run that
    /// is several times as long as the walk is deep. If there is none, there is no
    /// walk when a scout that sets out before it finds something.
    pub patience: u64,
    /// How much effort may be made to shorten the run of a scout.
    pub shortening: u64,
}

impl Portfolio {
    /// The effort of a second or so, and at most 5 % more time where there is nothing to be found.
    pub const USUAL: Self =
        Self { alone: 1_000_000, per_mille: 10, patience: 8_000_000, shortening: 1_000_000 };
}

/// The effort of computing and looking up one state of so many bytes.
pub(crate) fn effort_of(bytes: usize) -> u64 {
    1 + bytes as u64 / 32
}

/// Scouts together occupy at most this part of the granted memory.
const SHARE_OF_MEMORY: usize = 16;
/// How much a scout does before it is another's turn.
const SLICE: u64 = 4096;
/// With less than this much to do, scouts wait: to fetch what they work with costs more than the work.
const WORTH_IT: u64 = 1024;

/// Up to so much effort of the walk, about a third of a second, scouts make twice their share: who waits notices a second, and in a
/// long walk it makes no difference. A unit of their effort takes three times as long as one of the walk's, since they jump
/// about in memory: with 25 for every thousand, and 35 in the first second, walks of two to four seconds took 7 to 12 % more time.
/// To give them more while levels grow was tried: levels grow until shortly before the end.
const EAGER: u64 = 3_000_000;
/// A run that is more than so many times as long as the walk is deep is told without waiting for the walk. Levels grow: it will
/// not come much deeper.
const FAR: usize = 4;

/// What scouts did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scouted {
    /// How many transitions they computed.
    pub transitions: u64,
    /// How many states they entered; one that several of them enter counts for each.
    pub states: u64,
    /// What they found, if that is what is told.
    pub find: Option<Find>,
}

/// A violation that a scout has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    /// Which kind of scout has found it.
    pub by: ScoutKind,
    /// The seed of what was random about it.
    pub seed: u64,
    /// The run as it was found, before it was shortened.
    pub run: Vec<Transition>,
    /// How many steps that are. Of a system that was simplified before it was walked, the facade counts those of the
    /// system as it was written.
    pub length: usize,
    /// How many steps the run has that is told.
    pub shortened: usize,
}

/// What a scout does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoutKind {
    /// It searches depth first, with the transitions of each state in this order.
    DepthFirst(Order),
    /// It walks from the initial state again and again, and prefers new states and actions rarely taken.
    Rarest,
}

impl ScoutKind {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            ScoutKind::DepthFirst(Order::Given) => "depth-first scout",
            ScoutKind::DepthFirst(Order::Reversed) => "depth-first scout, reversed order",
            ScoutKind::DepthFirst(Order::Shuffled) => "depth-first scout, shuffled order",
            ScoutKind::DepthFirst(Order::ByProcess) => "depth-first scout, process by process",
            ScoutKind::Rarest => "walking scout",
        }
    }
}

/// A search that can be left and taken up again.
trait Scout {
    /// Goes on for about so many transitions, in so many bytes.
    fn advance(&mut self, effort: u64, memory: usize) -> Advance;

    /// Bytes now occupied.
    fn bytes(&self) -> usize;
}

/// How far a scout came.
#[derive(Default)]
struct Advance {
    /// The effort made.
    effort: u64,
    /// The small steps that transitions were made of.
    work: u64,
    /// Transitions computed.
    transitions: u64,
    /// States entered.
    states: u64,
    end: Option<Ended>,
}

/// Why a scout does not go on.
enum Ended {
    /// A hook said `Break` after this run.
    Found(Vec<Transition>),
    /// It has seen all that it can, or its memory is used up.
    Exhausted,
}

/// What scouts look at all the time: a hook's opinion of a state and its transitions.
pub(crate) fn look(
    hooks: &mut impl Hooks,
    stepper: &mut dyn Stepper,
    state: &[u8],
    successors: &Successors,
) -> Option<Option<Transition>> {
    if hooks.expand(stepper, state, successors).is_break() {
        return Some(None);
    }
    if !hooks.sees_all_edges() && !successors.has_faults() {
        return None;
    }
    let found = successors.iter().find(|successor| {
        let edge = Edge {
            from: state,
            transition: successor.transition,
            to: successor.state,
            fault: successor.fault,
        };
        hooks.edge(stepper, edge).is_break()
    });
    found.map(|successor| Some(successor.transition))
}

/// Two places for scouts that search, one for scouts that walk; who comes next when one is exhausted is in the list.
const LINE_UP: [&[ScoutKind]; 3] = [
    &[
        ScoutKind::DepthFirst(Order::Given),
        ScoutKind::DepthFirst(Order::ByProcess),
        ScoutKind::DepthFirst(Order::Shuffled),
    ],
    &[
        ScoutKind::DepthFirst(Order::Reversed),
        ScoutKind::DepthFirst(Order::Shuffled),
        ScoutKind::DepthFirst(Order::ByProcess),
    ],
    &[ScoutKind::Rarest],
];

/// Whose turn it is, again and again. Where SPIN finds something within few states, so does the first scout, as a rule.
const TURNS: [usize; 4] = [0, 1, 0, 2];

/// The scouts of one walk.
pub(crate) struct Scouts<'s, F> {
    system: &'s dyn System,
    /// Makes the hooks of a scout.
    hooks: F,
    how: Portfolio,
    seed: u64,
    /// Bytes granted to the walk and its scouts together.
    granted: usize,
    /// The longest run followed.
    depth: usize,
    /// Bytes beside the store of the walk, to which those of the scouts are added.
    beside: Arc<AtomicUsize>,
    /// Those of them that are the scouts'.
    occupied: usize,
    places: Vec<Place<'s>>,
    turn: usize,
    scouted: Scouted,
    /// The effort that the scouts have made, and the small steps that their transitions were made of.
    spent: u64,
    work: u64,
    /// The effort that the walk has made, as far as its figures tell it.
    walked: u64,
    /// The transitions that it had computed then.
    transitions: u64,
}

/// A scout, and how many there were in its place before.
struct Place<'s> {
    scout: Box<dyn Scout + 's>,
    kind: ScoutKind,
    seed: u64,
    before: usize,
}

impl<'s, H: Hooks + 's, F: Fn() -> H> Scouts<'s, F> {
    /// Scouts that wait for their time.
    pub(crate) fn new(
        system: &'s dyn System,
        hooks: F,
        how: Portfolio,
        seed: u64,
        (granted, depth): (usize, usize),
    ) -> Self {
        Self {
            system,
            hooks,
            how,
            seed,
            granted,
            depth,
            beside: Arc::default(),
            occupied: 0,
            places: Vec::new(),
            turn: 0,
            scouted: Scouted::default(),
            spent: 0,
            work: 0,
            walked: 0,
            transitions: 0,
        }
    }

    /// Where the memory of the walk's queues and of the scouts is counted.
    pub(crate) fn beside(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.beside)
    }

    /// Before the walk begins: whether it is to give way at once.
    pub(crate) fn set_out(&mut self) -> bool {
        if self.how.alone == 0 {
            self.advance(SLICE * TURNS.len() as u64, 0);
        }
        self.scouted.find.is_some() && self.how.patience == 0
    }

    /// Lets scouts do their share of what a walk with these figures has done; whether the walk is to give way.
    pub(crate) fn accompany(&mut self, walk: &Counters) -> bool {
        self.reckon(walk);
        if self.walked < self.how.alone {
            return false;
        }
        if let Some(find) = &self.scouted.find {
            // What the walk finds from this level on is not shorter.
            let late = find.length <= walk.depth;
            return late || find.length / FAR > walk.depth || self.walked >= self.how.patience;
        }
        let due = (self.walked + self.walked.min(EAGER)) / 1000 * self.how.per_mille;
        if due >= self.spent + WORTH_IT {
            self.advance(due - self.spent, walk.store_bytes);
        }
        false
    }

    /// When the walk has used up its memory and given it back: lets scouts make a tenth of its effort before there is no
    /// answer.
    pub(crate) fn last_chance(&mut self, walk: &Counters, watch: &mut Watch<'_>) {
        let end = self.spent + self.walked / 10;
        while self.spent < end && self.scouted.find.is_none() && watch(walk).is_none() {
            self.advance((WORTH_IT * 64).min(end - self.spent), 0);
        }
    }

    /// Reckons the effort of the walk since the figures were last seen.
    fn reckon(&mut self, walk: &Counters) {
        let transitions = walk.transitions - std::mem::replace(&mut self.transitions, walk.transitions);
        let bytes = walk.store_bytes / walk.states.max(1) as usize;
        // With so few transitions since the last time it was the work that they were that brought us here.
        let least = if transitions < WATCH_INTERVAL { WATCH_WORK } else { 0 };
        // How many small steps a transition is made of is known from the scouts.
        let work = self.work / self.scouted.transitions.max(1);
        self.walked += least.max(transitions * (effort_of(bytes) + work));
    }

    /// What scouts did, if they have set out.
    pub(crate) fn finish(self) -> Option<Scouted> {
        (!self.places.is_empty()).then_some(self.scouted)
    }

    /// Lets the scouts make so much effort beside a store of so many bytes.
    fn advance(&mut self, effort: u64, store_bytes: usize) {
        if self.places.is_empty() {
            self.places = (0..LINE_UP.len()).map(|place| self.scout(place, 0)).collect();
        }
        let end = self.spent + effort;
        while self.spent < end && self.scouted.find.is_none() {
            self.turn = (self.turn + 1) % TURNS.len();
            let effort = SLICE.min(end - self.spent);
            let memory = self.memory(store_bytes);
            let turn = TURNS[self.turn];
            let Place { scout, kind, seed, before } = &mut self.places[turn];
            let Advance { effort, work, transitions, states, end } = scout.advance(effort, memory);
            // A scout that cannot move has made an effort too.
            self.spent += effort.max(1);
            self.work += work;
            self.scouted.transitions += transitions;
            self.scouted.states += states;
            match end {
                None => {}
                Some(Ended::Found(run)) => {
                    self.scouted.find =
                        Some(Find { by: *kind, seed: *seed, length: run.len(), shortened: run.len(), run });
                }
                Some(Ended::Exhausted) => {
                    let before = *before + 1;
                    self.places[turn] = self.scout(turn, before);
                }
            }
            self.account();
        }
        if self.scouted.find.is_some() {
            // They are not needed any more, and neither is their memory.
            self.places.truncate(1);
            self.places[0].scout = Box::new(Retired);
            self.account();
        }
    }

    /// The scout that comes after so many others in this place.
    fn scout(&self, place: usize, before: usize) -> Place<'s> {
        let line = LINE_UP[place];
        let kind =
            *line.get(before).unwrap_or(&line[1.min(line.len() - 1)..][before % (line.len() - 1).max(1)]);
        // Seeds of different places and times differ; those of a user are small numbers.
        let seed = self.seed.wrapping_add((before * LINE_UP.len() + place) as u64);
        let scout: Box<dyn Scout + 's> = match kind {
            ScoutKind::DepthFirst(order) => {
                Box::new(DepthFirst::new(self.system, (self.hooks)(), order, seed, self.depth))
            }
            ScoutKind::Rarest => Box::new(Rarest::new(self.system, (self.hooks)(), seed, self.depth)),
        };
        Place { scout, kind, seed, before }
    }

    /// What one scout may occupy: its share, and no more than the walk has left.
    fn memory(&self, store_bytes: usize) -> usize {
        let walk = store_bytes + self.beside.load(Ordering::Relaxed) - self.occupied;
        (self.granted / SHARE_OF_MEMORY).min(self.granted.saturating_sub(walk)) / LINE_UP.len()
    }

    /// Tells the walk what the scouts occupy now.
    fn account(&mut self) {
        let bytes = self.places.iter().map(|place| place.scout.bytes()).sum();
        self.beside.fetch_add(bytes, Ordering::Relaxed);
        self.beside.fetch_sub(self.occupied, Ordering::Relaxed);
        self.occupied = bytes;
    }
}

/// A scout that has nothing to do any more.
struct Retired;

impl Scout for Retired {
    fn advance(&mut self, _: u64, _: usize) -> Advance {
        Advance::default()
    }

    fn bytes(&self) -> usize {
        0
    }
}
