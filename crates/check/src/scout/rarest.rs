//! A scout that walks from the initial state again and again, and prefers what was rarely done.
//!
//! At each state it takes a transition to a state that it has not met, if there is one, and of several one whose action it
//! has taken least often: chance alone would stay where most transitions are. Walks become longer and shorter in turn, since
//! some errors are near and some are deep. A walk that meets nothing new for half of its length is given up.

use super::{Advance, Ended, Scout, effort_of, look};
use elnath_kernel::rng::Rng;
use elnath_kernel::store::{Compact, Marks, Room, States};
use elnath_kernel::{Action, Hooks, Stepper, Successors, System, Transition};

pub(super) struct Rarest<'s, H> {
    stepper: Box<dyn Stepper + 's>,
    hooks: H,
    rng: Rng,
    /// The longest run followed.
    depth: usize,
    seen: Compact,
    /// By action ([`place_of`]), how often it was taken.
    taken: Vec<u32>,
    walks: u32,
    state: Vec<u8>,
    run: Vec<Transition>,
    /// How many states in a row were known.
    stale: usize,
    successors: Successors,
}

/// The longest of the shortest walks; each of the next is twice as long, and then they are short again.
const SHORT: usize = 128;
const DOUBLINGS: u32 = 10;

/// Where an action's count is. Numbers of actions need not be small (a product's own step has the largest there is), and
/// that two actions share a count costs nothing but some of the preference.
fn place_of(action: Action) -> usize {
    action.0 as usize % (1 << 14)
}

impl<'s, H: Hooks> Rarest<'s, H> {
    pub(super) fn new(system: &'s dyn System, hooks: H, seed: u64, depth: usize) -> Self {
        Self {
            stepper: system.stepper(),
            hooks,
            rng: Rng::new(seed),
            depth,
            seen: Compact::new(64),
            taken: Vec::new(),
            walks: 0,
            state: Vec::new(),
            run: Vec::new(),
            stale: 0,
            successors: Successors::default(),
        }
    }

    /// The successor to go on with, if there is one.
    fn choose(&mut self) -> Option<usize> {
        let Self { stepper, rng, seen, taken, state, successors, .. } = self;
        let key = |&index: &usize| {
            let successor = successors.get(index);
            let action = place_of(stepper.action(state, successor.transition));
            if taken.len() <= action {
                taken.resize(action + 1, 0);
            }
            let known = seen.is_marked(successor.state, seen.hash(successor.state));
            // Among known states chance decides: rarely taken actions would lead to the same ones again.
            (known, if known { 0 } else { taken[action] }, rng.next_u64())
        };
        (0..successors.len()).min_by_key(key)
    }

    fn restart(&mut self) {
        self.walks = self.walks.wrapping_add(1);
        self.run.clear();
        self.stale = 0;
        self.stepper.initial(&mut self.state);
    }
}

impl<H: Hooks> Scout for Rarest<'_, H> {
    fn advance(&mut self, effort: u64, memory: usize) -> Advance {
        let mut advance = Advance::default();
        if self.walks == 0 {
            self.restart();
        }
        while advance.effort < effort {
            let work = self.stepper.work();
            let Self { stepper, hooks, seen, state, successors, run, .. } = self;
            stepper.successors(state, successors);
            let transitions = successors.len() as u64;
            advance.transitions += transitions;
            let work = stepper.work() - work;
            advance.work += work;
            advance.effort += 1 + transitions * effort_of(state.len()) + work;
            if let Some(last) = look(hooks, &mut **stepper, state, successors) {
                advance.end = Some(Ended::Found(run.iter().copied().chain(last).collect()));
                return advance;
            }
            let room =
                Room { bytes: memory.saturating_sub(run.capacity() * size_of::<Transition>()), depth: 0 };
            let Ok(new) = seen.mark(state, seen.hash(state), room) else {
                advance.end = Some(Ended::Exhausted);
                return advance;
            };
            advance.states += u64::from(new);
            self.stale = if new { 0 } else { self.stale + 1 };
            let longest = self.depth.min(SHORT << (self.walks % DOUBLINGS));
            match self.choose() {
                Some(index) if self.run.len() < longest && self.stale <= longest / 2 => {
                    let successor = self.successors.get(index);
                    let action = place_of(self.stepper.action(&self.state, successor.transition));
                    self.taken[action] = self.taken[action].saturating_add(1);
                    self.run.push(successor.transition);
                    self.state.clear();
                    self.state.extend_from_slice(successor.state);
                }
                _ => self.restart(),
            }
        }
        advance
    }

    fn bytes(&self) -> usize {
        self.seen.bytes()
            + self.run.capacity() * size_of::<Transition>()
            + self.taken.capacity() * size_of::<u32>()
    }
}
