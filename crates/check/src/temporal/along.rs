//! A product along one run of its system.
//!
//! A bad run that was found in a simplified program becomes one of the program as it was written by
//! [unfolding](elnath_kernel::System::unfolded), which knows nothing of the automaton. That run has more steps, so the
//! automaton moves more often, and how it does is looked for anew: in the product with the program as it was written, of which
//! only what lies along the run is walked. If the automaton accepts there, the simplification has not
//! invented anything; if it does not, this is a bug of ours.
//!
//! Behind the end of a run without a loop any way is allowed: the system has stopped there, or the run is bad whatever comes
//! then, and the automaton may need a step more to say so.

use super::Product;
use elnath_kernel::search::{deterministic, scc, se05};
use elnath_kernel::store::{Exact, Numbered};
use elnath_kernel::{
    Acceptance, AcceptedBy, Action, Budget, Fault, Lasso, Run, Stepper, Successors, System as _, Transition,
};
use std::collections::{HashMap, VecDeque};

/// Behind a run that is bad whatever comes, at most so many states are looked at.
const MOST_BEHIND: usize = 100_000;

/// The bytes of a place in the run, which stand behind the product's state.
const PLACE: usize = size_of::<u32>();

/// A walker over the product that stays on the run.
pub(super) struct Along<'p> {
    product: &'p Product<'p>,
    stepper: Box<dyn Stepper + 'p>,
    /// The steps of the system.
    steps: &'p [Transition],
    /// With which of them it goes on after the last.
    loop_start: Option<usize>,
}

impl<'p> Along<'p> {
    /// Along a run of the product's system, of which the steps from `loop_start` on are repeated for ever.
    pub(super) fn new(product: &'p Product<'_>, run: &'p Run, loop_start: Option<usize>) -> Self {
        let loop_start = loop_start.filter(|&start| start < run.steps.len());
        Self { product, stepper: product.stepper(), steps: &run.steps, loop_start }
    }

    fn split(state: &[u8]) -> (&[u8], usize) {
        let (state, place) = state.split_at(state.len() - PLACE);
        (state, u32::from_le_bytes(place.try_into().expect("so many bytes")) as usize)
    }

    fn join(state: &mut Vec<u8>, place: usize) {
        state.extend_from_slice(&(place as u32).to_le_bytes());
    }

    fn root(&mut self) -> Vec<u8> {
        let mut root = Vec::new();
        self.initial(&mut root);
        root
    }

    /// A lasso of the product that is accepted.
    pub(super) fn lasso(&mut self, acceptance: &AcceptedBy) -> Option<Lasso> {
        let mut watch = |_: &_| None;
        let budget = &mut Budget {
            memory: usize::MAX,
            depth: usize::MAX,
            states: u64::MAX,
            disk: None,
            watch: &mut watch,
        };
        let root = self.root();
        let found = match acceptance {
            AcceptedBy::State => se05(self, &mut Exact::new(), &root, budget),
            AcceptedBy::NoState => deterministic(self, &mut Exact::new(), &root, budget),
            AcceptedBy::Marks(condition) => scc(self, &mut Numbered::default(), condition, &root, budget),
        };
        found.lasso
    }

    /// The steps of a run of the product to this fault, or to an accepting state if there is none.
    pub(super) fn bad_prefix(&mut self, fault: Option<Fault>) -> Option<Vec<Transition>> {
        let root = self.root();
        let mut came: HashMap<Vec<u8>, Option<(Vec<u8>, Transition)>> = HashMap::from([(root.clone(), None)]);
        let mut queue = VecDeque::from([root]);
        let (mut enabled, mut next, mut behind) = (Vec::new(), Vec::new(), 0);
        while let Some(state) = queue.pop_front() {
            behind += usize::from(Self::split(&state).1 == self.steps.len());
            if behind > MOST_BEHIND {
                return None;
            }
            self.enabled(&state, &mut enabled);
            for &t in &enabled {
                let met = self.fire(&state, t, &mut next).err();
                let found = if fault.is_some() { met == fault } else { self.accepting(&next) };
                if !came.contains_key(&next) {
                    came.insert(next.clone(), Some((state.clone(), t)));
                    queue.push_back(next.clone());
                }
                if found {
                    let mut steps = vec![t];
                    let mut at = &state;
                    while let Some((before, t)) = &came[at] {
                        steps.push(*t);
                        at = before;
                    }
                    steps.reverse();
                    return Some(steps);
                }
            }
        }
        None
    }
}

impl Stepper for Along<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        self.stepper.initial(out);
        Self::join(out, 0);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        let (state, place) = Self::split(state);
        self.stepper.enabled(state, out);
        if let Some(&step) = self.steps.get(place) {
            // A run that has met a fault stays where it is.
            out.retain(|&t| self.product.inner_transition(t).is_none_or(|t| t == step));
        }
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (state, place) = Self::split(state);
        let done = self.stepper.fire(state, t, out);
        let last = self.steps.len();
        let next = if place + 1 >= last { self.loop_start.unwrap_or(last) } else { place + 1 };
        Self::join(out, next);
        done
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        self.stepper.action(Self::split(state).0, t)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.stepper.may_end(Self::split(state).0)
    }

    elnath_kernel::hand_on! { stepper: transition_bits }
    elnath_kernel::facets! { mine: acceptance; below stepper: tally; none: propositions, processes }
}

impl Acceptance for Along<'_> {
    fn sets(&mut self) -> u32 {
        self.stepper.acceptance().map_or(0, |acceptance| acceptance.sets())
    }

    fn marks(&mut self, state: &[u8], t: Transition) -> u64 {
        self.stepper.marks(Self::split(state).0, t)
    }

    fn accepting(&mut self, state: &[u8]) -> bool {
        self.stepper.accepting(Self::split(state).0)
    }

    fn may_recur(&mut self, state: &[u8]) -> bool {
        self.stepper.may_recur(Self::split(state).0)
    }

    /// The last byte is that of the place in the run.
    fn recurs_by_last_byte(&mut self) -> Option<Box<[bool; 256]>> {
        None
    }
}
