//! A short random walk over a net: how many tokens its places were seen to hold, and how often they were marked.
//!
//! It guides two guesses that may be wrong: how many bits a place gets (`layout`), and from which of its places a transition is looked at
//! (`enabling`). The walk has a seed of its own and a bound on its work, so that the same net is always read in the same way, in a few
//! milliseconds.

use crate::net::PetriNet;
use elnath_kernel::rng::Rng;

/// What a walk saw.
pub(crate) struct Seen {
    /// The most tokens on each place.
    pub(crate) most: Vec<u32>,
    /// In how many of the states each place was marked.
    pub(crate) marked: Vec<u32>,
}

/// Arcs that are looked at, all together.
const WORK: usize = 2_000_000;
/// Steps before the walk begins again at the initial marking.
const STRETCH: usize = 500;

/// Walks.
pub(crate) fn probe(net: &PetriNet) -> Seen {
    let mut seen = Seen { most: net.initial.clone(), marked: vec![0; net.places.len()] };
    let mut random = Rng::new(1);
    let mut marking = net.initial.clone();
    let mut work = 0;
    let mut steps = 0;
    let transitions = net.transitions.len();
    while work < WORK && transitions > 0 {
        for (place, &tokens) in marking.iter().enumerate() {
            seen.most[place] = seen.most[place].max(tokens);
            seen.marked[place] += u32::from(tokens > 0);
        }
        work += net.places.len();
        // Transitions are tried from a random one on, so that any that is enabled may be the first.
        let start = random.below(transitions as u64) as usize;
        let enabled = (0..transitions).map(|number| (start + number) % transitions).find(|&t| {
            work += net.consumes[t].len() + 1;
            net.is_enabled(&marking, t as u32)
        });
        steps += 1;
        let moved = enabled.is_some_and(|t| net.fire(&mut marking, t as u32).is_ok());
        if !moved || steps % STRETCH == 0 {
            if !moved && steps == 1 {
                break;
            }
            marking.clone_from(&net.initial);
        }
    }
    seen
}
