//! The explicit graph of any system: all that can be reached, breadth first, with the names of actions as labels.
//!
//! For what needs the whole graph at once, such as a quotient. States are numbered in the order in which they are met,
//! and transitions stay in the order of the system, so that the same model always gives the same graph.

use crate::frontend::Loaded;
use elnath_kernel::budget::{Budget, Counters, WATCH_INTERVAL, WATCH_WORK, Watch};
use elnath_kernel::store::{Known, Numbered, Numbers, Ref, Room, States, Store, Visit};
use elnath_kernel::{ByAction, Limit, Successors, System};
use elnath_lts::{Builder, Lts, Taus};

/// A graph that was generated.
pub struct Generated {
    /// The graph. State 0 is the initial one.
    pub lts: Lts,
    /// How many transitions ran into a fault of the model. They are in the graph like others.
    pub faults: u64,
}

/// Generates the graph of a system.
///
/// # Errors
/// What ran out, with the figures so far.
pub fn generate(
    system: &dyn System,
    taus: Taus,
    budget: &mut Budget<'_>,
) -> Result<Generated, (Limit, Counters)> {
    generate_each(system, taus, budget, &mut |_| {})
}

/// The same; the bytes of each state are handed over in the order of their numbers.
pub(crate) fn generate_each(
    system: &dyn System,
    taus: Taus,
    budget: &mut Budget<'_>,
    each: &mut dyn FnMut(&[u8]),
) -> Result<Generated, (Limit, Counters)> {
    let mut counters = Counters { states_exact: true, ..Counters::default() };
    match walk(system, taus, budget, &mut counters, each) {
        Ok(generated) => Ok(generated),
        Err(limit) => Err((limit, counters)),
    }
}

/// The graph of a model: the one that was read, or one that is generated, with these labels (without any, `i` and `tau`) as
/// the internal action, and what the model's rules hide. The memory is for the model and the graph together.
///
/// # Errors
/// What ran out, with the figures so far.
pub fn graph_of(
    loaded: Loaded,
    taus: Option<Vec<String>>,
    memory: usize,
    watch: &mut Watch<'_>,
) -> Result<Generated, (Limit, Counters)> {
    if loaded.explicit.is_some() {
        let lts = loaded.into_graph(taus).expect("it is one");
        return Ok(Generated { lts, faults: 0 });
    }
    let memory = memory.saturating_sub(loaded.system.bytes());
    let mut budget = Budget { memory, depth: usize::MAX, states: u64::MAX, disk: None, watch };
    generate(&*loaded.system, loaded.internal(taus), &mut budget)
}

fn walk(
    system: &dyn System,
    taus: Taus,
    budget: &mut Budget<'_>,
    counters: &mut Counters,
    each: &mut dyn FnMut(&[u8]),
) -> Result<Generated, Limit> {
    let mut stepper = system.stepper();
    let mut numbering = Numbering { store: Numbered::default(), places: Vec::new() };
    let mut builder = Builder::new();
    builder.taus(taus);
    let mut labels = ByAction::default();
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    let (mut faults, mut watched) = (0, stepper.work());
    stepper.initial(&mut state);
    numbering.number(&state, budget.memory)?;

    let mut from = 0;
    while let Some(&place) = numbering.places.get(from) {
        numbering.store.read(place, &mut state);
        each(&state);
        stepper.successors(&state, &mut successors);
        let memory = budget.memory.saturating_sub(beside(&builder, &numbering));
        for successor in successors.iter() {
            let action = stepper.action(&state, successor.transition);
            let label = labels.get(action).unwrap_or_else(|| {
                let label = builder.label(&system.action_name(action));
                labels.set(action, label);
                label
            });
            let to = numbering.number(successor.state, memory)?;
            if builder.num_transitions() as u64 >= u64::from(u32::MAX) {
                return Err(Limit::Memory);
            }
            builder.push(from as u32, label, to);
            faults += u64::from(successor.fault.is_some());
        }
        from += 1;
        if numbering.places.len() as u64 > budget.states {
            return Err(Limit::States);
        }
        let work = stepper.work();
        if (from as u64).is_multiple_of(WATCH_INTERVAL) || work - watched >= WATCH_WORK {
            watched = work;
            counters.states = numbering.places.len() as u64;
            counters.insertions = counters.states;
            counters.stored = counters.states;
            counters.transitions = builder.num_transitions() as u64;
            counters.store_bytes = numbering.store.bytes() + beside(&builder, &numbering);
            if counters.store_bytes > budget.memory {
                return Err(Limit::Memory);
            }
            if let Some(limit) = (budget.watch)(counters) {
                return Err(limit);
            }
        }
    }
    builder.at_least_states(numbering.places.len() as u32);
    Ok(Generated { lts: builder.finish(0), faults })
}

/// Bytes of the transitions so far, their array half empty, and of the places of states.
fn beside(builder: &Builder, numbering: &Numbering) -> usize {
    2 * builder.num_transitions() * size_of::<elnath_lts::Edge>()
        + numbering.places.capacity() * size_of::<Ref>()
}

/// The states met so far, and where the state with each number lies.
struct Numbering {
    store: Numbered,
    places: Vec<Ref>,
}

impl Numbering {
    /// The number of a state, a new one if it is new.
    fn number(&mut self, state: &[u8], memory: usize) -> Result<u32, Limit> {
        let hash = self.store.hash(state);
        match self.store.visit(state, hash, Room { bytes: memory, depth: 0 })? {
            Visit::Known(Known { at, .. }) => Ok(self.store.number(at)),
            Visit::New(at) => {
                // The largest number is no state of an explicit system.
                let number = u32::try_from(self.places.len()).map_err(|_| Limit::States)?;
                if number == u32::MAX {
                    return Err(Limit::States);
                }
                self.store.set_number(at, number);
                self.places.push(at);
                Ok(number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_kernel::rng::Rng;
    use elnath_testkit::Labelled;
    use elnath_testkit::relation::related;

    fn unlimited() -> Budget<'static> {
        let watch = Box::leak(Box::new(|_: &Counters| None));
        Budget { memory: usize::MAX, depth: 0, states: u64::MAX, disk: None, watch }
    }

    /// The graph of a small system is strongly bisimilar to it, and has its reachable states only.
    #[test]
    fn the_graph_is_the_system() {
        for seed in 0..200 {
            let system = Labelled::random(12, 3, &mut Rng::new(seed));
            let Ok(Generated { lts, faults: 0 }) = generate(&system, Taus::default(), &mut unlimited())
            else {
                panic!("nothing runs out, and nothing is wrong with it: seed {seed}");
            };
            let number =
                |name: &str| (0..10).find(|&label| Labelled::label_name(label) == name).expect("ours");
            let transitions =
                lts.transitions().map(|(from, label, to)| (from, number(lts.label(label)), to)).collect();
            let graph = Labelled { states: lts.num_states() as u32, transitions };
            assert!(related(elnath_kernel::relation::Relation::Strong, &system, &graph), "seed {seed}");
            assert_eq!(elnath_lts::reach::reachable(&lts).len(), lts.num_states(), "seed {seed}");
        }
    }

    #[test]
    fn running_out_of_memory_is_an_answer() {
        let system = Labelled { states: 3, transitions: vec![(0, 1, 1), (1, 1, 2), (2, 0, 0)] };
        let mut budget = Budget { memory: 10, ..unlimited() };
        let stopped = generate(&system, Taus::default(), &mut budget);
        assert!(matches!(stopped, Err((Limit::Memory, _))));
    }
}
