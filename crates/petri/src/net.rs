//! Place/transition nets.
//!
//! A transition is enabled where each place that it consumes from holds at least as many tokens as its arcs say; firing takes these and
//! then puts those of the other arcs. Several arcs between the same two nodes count as one with the sum of their weights.

use std::collections::HashMap;

/// A place or a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetNode {
    /// What arcs and formulas call it.
    pub id: String,
    /// What it is called for people: a transition's is the label of its steps.
    pub name: String,
    /// The line of the file on which it is declared, from 1.
    pub line: u32,
}

/// The number of a place.
pub type PlaceId = u32;

/// The number of a transition.
pub type TransitionId = u32;

/// How many tokens an arc takes from, or puts on, a place.
pub type Weighted = (PlaceId, u32);

/// A place/transition net with its initial marking.
#[derive(Clone, Debug, Default)]
pub struct PetriNet {
    /// Its name.
    pub name: String,
    /// The file it was read from.
    pub file: String,
    /// The places.
    pub places: Vec<NetNode>,
    /// The transitions.
    pub transitions: Vec<NetNode>,
    /// The tokens on each place at the start.
    pub initial: Vec<u32>,
    /// What each transition takes, each place once, in the order of the places.
    pub consumes: Vec<Vec<Weighted>>,
    /// What it puts, likewise.
    pub produces: Vec<Vec<Weighted>>,
    /// The units of a nested-unit net that is declared to be unit-safe: of the places of a unit at most one is said to hold a token, and only one.
    pub units: Vec<Vec<PlaceId>>,
    place_ids: HashMap<String, PlaceId>,
    transition_ids: HashMap<String, TransitionId>,
}

impl PetriNet {
    /// A net without anything, read from this file.
    pub fn of_file(file: &str) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }

    /// Adds a place.
    pub fn add_place(&mut self, id: &str, name: &str, line: u32, tokens: u32) -> PlaceId {
        let number = self.places.len() as PlaceId;
        self.places.push(NetNode { id: id.to_owned(), name: name.to_owned(), line });
        self.initial.push(tokens);
        self.place_ids.insert(id.to_owned(), number);
        number
    }

    /// Adds a transition, with arcs to come.
    pub fn add_transition(&mut self, id: &str, name: &str, line: u32) -> TransitionId {
        let number = self.transitions.len() as TransitionId;
        self.transitions.push(NetNode { id: id.to_owned(), name: name.to_owned(), line });
        self.consumes.push(Vec::new());
        self.produces.push(Vec::new());
        self.transition_ids.insert(id.to_owned(), number);
        number
    }

    /// Adds an arc from a place to a transition, or the other way.
    ///
    /// # Errors
    /// If the weights of the arcs between these two add up to more than 2^32 - 1.
    pub fn add_arc(
        &mut self,
        place: PlaceId,
        transition: TransitionId,
        consumes: bool,
        weight: u32,
    ) -> Result<(), String> {
        let arcs = if consumes { &mut self.consumes } else { &mut self.produces };
        let arcs = &mut arcs[transition as usize];
        match arcs.binary_search_by_key(&place, |(other, _)| *other) {
            Ok(at) => {
                let sum = arcs[at].1.checked_add(weight);
                arcs[at].1 = sum.ok_or("the weights of these arcs add up to more than 4,294,967,295")?;
            }
            Err(at) => arcs.insert(at, (place, weight)),
        }
        Ok(())
    }

    /// The place with this id, or else the first with this name.
    pub fn place(&self, word: &str) -> Option<PlaceId> {
        let named = || self.places.iter().position(|place| place.name == word).map(|at| at as PlaceId);
        self.place_ids.get(word).copied().or_else(named)
    }

    /// The transition with this id.
    pub fn transition(&self, id: &str) -> Option<TransitionId> {
        self.transition_ids.get(id).copied()
    }

    /// The transitions that a word means: the one with this id, or else all with this name.
    pub fn transitions_named(&self, word: &str) -> Vec<TransitionId> {
        match self.transition(word) {
            Some(one) => vec![one],
            None => {
                let numbers = 0..self.transitions.len();
                numbers.filter(|&t| self.transitions[t].name == word).map(|t| t as TransitionId).collect()
            }
        }
    }

    /// How many arcs there are.
    pub fn arcs(&self) -> usize {
        self.consumes.iter().chain(&self.produces).map(Vec::len).sum()
    }

    /// Whether a transition is enabled.
    pub fn is_enabled(&self, marking: &[u32], transition: TransitionId) -> bool {
        self.consumes[transition as usize].iter().all(|&(place, weight)| marking[place as usize] >= weight)
    }

    /// Fires a transition that is enabled.
    ///
    /// # Errors
    /// If a place would hold more than 2^32 - 1 tokens: then the marking is as it was.
    pub fn fire(&self, marking: &mut [u32], transition: TransitionId) -> Result<(), TooManyTokens> {
        let t = transition as usize;
        for &(place, weight) in &self.consumes[t] {
            marking[place as usize] -= weight;
        }
        let puts = &self.produces[t];
        let most =
            puts.iter().position(|&(place, weight)| marking[place as usize].checked_add(weight).is_none());
        if most.is_none() {
            puts.iter().for_each(|&(place, weight)| marking[place as usize] += weight);
            return Ok(());
        }
        self.consumes[t].iter().for_each(|&(place, weight)| marking[place as usize] += weight);
        Err(TooManyTokens)
    }

    /// What a transition changes: the places, each with what is added to it.
    pub fn effect(&self, transition: TransitionId) -> Vec<(PlaceId, i64)> {
        let t = transition as usize;
        let mut effect: Vec<(PlaceId, i64)> =
            self.produces[t].iter().map(|&(place, weight)| (place, i64::from(weight))).collect();
        for &(place, weight) in &self.consumes[t] {
            match effect.binary_search_by_key(&place, |(other, _)| *other) {
                Ok(at) => effect[at].1 -= i64::from(weight),
                Err(at) => effect.insert(at, (place, -i64::from(weight))),
            }
        }
        effect.retain(|&(_, change)| change != 0);
        effect
    }

    /// Bytes that it occupies, about.
    pub fn bytes(&self) -> usize {
        let nodes = self.places.iter().chain(&self.transitions);
        let names: usize = nodes.map(|node| 2 * node.id.len() + node.name.len() + 120).sum();
        names + 8 * self.arcs() + 4 * self.units.iter().map(Vec::len).sum::<usize>()
    }
}

/// A place would hold more tokens than are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyTokens;
