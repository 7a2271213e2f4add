//! How many tokens each place can hold: coverability (Karp, Miller 1969).
//!
//! The markings that can be reached are explored breadth first. Where one is larger than another on the way to it, the steps between them can
//! be repeated without end, and each place that holds more gets *omega*, "any number", once and for all. That leaves finitely many
//! markings; a place is unbounded if and only if it has omega in one of them, and otherwise the largest number in them is its bound.
//!
//! A marking that was met before, anywhere, is not explored again. (To leave out every marking that is *smaller* than another, as the
//! minimal coverability tree of Finkel 1993 does, is unsound without care about what was derived from what; it is not done.) Ancestors are
//! compared by two words first: the sum of the tokens, and a mask of the marked places.
//!
//! The first repetition that is found has no omega before it, so that it is a run of the net: it is returned and can be replayed.

use crate::net::{PlaceId, TransitionId};
use crate::system::PetriSystem;
use elnath_kernel::{Budget, Counters, Limit};
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

/// Any number of tokens.
const OMEGA: u32 = u32::MAX;

/// What is known of the places of a net.
#[derive(Clone, Debug)]
pub struct Coverability {
    /// By place: the most tokens seen, `None` for any number.
    pub most: Vec<Option<u32>>,
    /// Steps after which others can be repeated without end, if there are such.
    pub growth: Option<TokenGrowth>,
    /// What ran out, if not everything was seen.
    pub limit: Option<Limit>,
    /// What was done: markings as states.
    pub counters: Counters,
}

/// Steps after which others can be repeated without end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenGrowth {
    /// From the initial marking.
    pub prefix: Vec<TransitionId>,
    /// What can be repeated after that.
    pub round: Vec<TransitionId>,
    /// The places that hold more after each round, with how many more.
    pub places: Vec<(PlaceId, u32)>,
}

/// A marking with possibly any number of tokens on some places.
struct CoverNode {
    marking: Box<[u32]>,
    parent: u32,
    by: TransitionId,
    /// The sum of the tokens, as large as can be with omega; and the marked places by number modulo 64, one bit each.
    sum: u64,
    marked: u64,
    /// The next with the same hash.
    same: u32,
}

const NONE: u32 = u32::MAX;

/// Explores a net within a budget, with at most so many steps fired.
pub fn coverability(system: &PetriSystem, firings: u64, budget: &mut Budget<'_>) -> Coverability {
    let net = &**system.net();
    let mut cover = Cover {
        nodes: Vec::new(),
        table: HashMap::new(),
        hashing: RandomState::new(),
        most: vec![Some(0); net.places.len()],
        growth: None,
    };
    let mut counters = Counters { states_exact: true, ..Counters::default() };
    let mut limit = net.initial.contains(&OMEGA).then_some(Limit::Sequence);
    cover.add(&net.initial, NONE, 0);
    let (mut enabled, mut next) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < cover.nodes.len() && limit.is_none() {
        enabled.clear();
        system.enabling().each_in_marking(net, &cover.nodes[at].marking, |t| enabled.push(t));
        for &t in &enabled {
            counters.transitions += 1;
            next.clear();
            next.extend_from_slice(&cover.nodes[at].marking);
            if !fire(system, &mut next, t) {
                limit = Some(Limit::Sequence);
                break;
            }
            cover.accelerate(&mut next, at as u32, t);
            cover.add(&next, at as u32, t);
        }
        at += 1;
        counters.states = cover.nodes.len() as u64;
        counters.store_bytes = cover.bytes();
        (counters.insertions, counters.stored) = (counters.states, counters.states);
        if counters.store_bytes > budget.memory {
            limit = Some(Limit::Memory);
        } else if counters.transitions >= firings || counters.states > budget.states {
            limit = Some(Limit::States);
        } else if at.is_multiple_of(1024) {
            limit = (budget.watch)(&counters);
        }
    }
    // The last state may have been the end of it all the same.
    let limit = limit.filter(|&limit| at < cover.nodes.len() || limit == Limit::Sequence);
    Coverability { most: cover.most, growth: cover.growth, limit, counters }
}

/// Fires a transition; false if more tokens come together than are counted.
fn fire(system: &PetriSystem, marking: &mut [u32], t: TransitionId) -> bool {
    let net = &**system.net();
    for &(place, weight) in &net.consumes[t as usize] {
        let tokens = &mut marking[place as usize];
        if *tokens != OMEGA {
            *tokens -= weight;
        }
    }
    for &(place, weight) in &net.produces[t as usize] {
        let tokens = &mut marking[place as usize];
        if *tokens != OMEGA {
            match tokens.checked_add(weight).filter(|&sum| sum != OMEGA) {
                Some(sum) => *tokens = sum,
                None => return false,
            }
        }
    }
    true
}

fn sum(marking: &[u32]) -> u64 {
    marking.iter().fold(0, |sum: u64, &tokens| match tokens {
        OMEGA => sum.saturating_add(1 << 40),
        tokens => sum.saturating_add(u64::from(tokens)),
    })
}

fn marked(marking: &[u32]) -> u64 {
    marking.iter().enumerate().fold(0, |mask, (place, &tokens)| mask | u64::from(tokens > 0) << (place % 64))
}

struct Cover {
    nodes: Vec<CoverNode>,
    /// The last node with each hash.
    table: HashMap<u64, u32>,
    hashing: RandomState,
    most: Vec<Option<u32>>,
    growth: Option<TokenGrowth>,
}

impl Cover {
    /// Adds a marking, if it is new.
    fn add(&mut self, marking: &[u32], parent: u32, by: TransitionId) {
        let hash = self.hashing.hash_one(marking);
        let last = self.table.get(&hash).copied().unwrap_or(NONE);
        let mut known = last;
        while known != NONE {
            if *self.nodes[known as usize].marking == *marking {
                return;
            }
            known = self.nodes[known as usize].same;
        }
        for (most, &tokens) in self.most.iter_mut().zip(marking) {
            *most = most.filter(|_| tokens != OMEGA).map(|most| most.max(tokens));
        }
        self.table.insert(hash, self.nodes.len() as u32);
        let (sum, marked) = (sum(marking), marked(marking));
        self.nodes.push(CoverNode { marking: marking.into(), parent, by, sum, marked, same: last });
    }

    /// Gives omega to the places of which a marking, reached from a node by a step, holds more than another on the way to it, where
    /// it holds no less of any.
    fn accelerate(&mut self, marking: &mut [u32], from: u32, by: TransitionId) {
        let mut ancestor = from;
        let (mut total, mut mask) = (sum(marking), marked(marking));
        while ancestor != NONE {
            let node = &self.nodes[ancestor as usize];
            let may = node.sum < total && node.marked & !mask == 0;
            if may && node.marking.iter().zip(&*marking).all(|(less, more)| less <= more) {
                if self.growth.is_none() {
                    let places = (0..).zip(node.marking.iter().zip(&*marking));
                    let places = places.filter(|(_, (less, more))| less < more);
                    let places = places.map(|(place, (less, more))| (place, more - less)).collect();
                    let prefix = self.steps(NONE, ancestor);
                    let mut round = self.steps(ancestor, from);
                    round.push(by);
                    self.growth = Some(TokenGrowth { prefix, round, places });
                }
                let node = &self.nodes[ancestor as usize];
                for (tokens, less) in marking.iter_mut().zip(&node.marking) {
                    if *less < *tokens {
                        *tokens = OMEGA;
                    }
                }
                (total, mask) = (sum(marking), marked(marking));
            }
            ancestor = self.nodes[ancestor as usize].parent;
        }
    }

    /// The steps from one node to another below it; from `NONE`, all from the initial marking.
    fn steps(&self, above: u32, mut below: u32) -> Vec<TransitionId> {
        let mut steps = Vec::new();
        while below != above && self.nodes[below as usize].parent != NONE {
            steps.push(self.nodes[below as usize].by);
            below = self.nodes[below as usize].parent;
        }
        steps.reverse();
        steps
    }

    fn bytes(&self) -> usize {
        let places = self.most.len();
        self.nodes.capacity() * size_of::<CoverNode>()
            + self.nodes.len() * (4 * places + 16)
            + 24 * self.table.capacity()
    }
}
