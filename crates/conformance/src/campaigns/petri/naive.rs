//! A net by its definition: markings are lists of numbers, all transitions are tried, formulas are evaluated by fixpoints of sets.

use super::random::Ctl;
use elnath_petri::PetriNet;
use std::collections::HashMap;

/// All markings that can be reached, the initial one first, with the transitions that lead from each.
pub(super) struct Markings {
    pub(super) all: Vec<Vec<u32>>,
    pub(super) edges: Vec<Vec<(u32, usize)>>,
}

/// Explores; nothing if there are more than `most`.
pub(super) fn explore(net: &PetriNet, most: usize) -> Option<Markings> {
    let markings = explore_some(net, most);
    (markings.edges.len() == markings.all.len()).then_some(markings)
}

/// Explores until there are more than `most`: then those that were met last have no edges.
pub(super) fn explore_some(net: &PetriNet, most: usize) -> Markings {
    let mut all = vec![net.initial.clone()];
    let mut numbers = HashMap::from([(net.initial.clone(), 0)]);
    let mut edges = Vec::new();
    while edges.len() < all.len() && all.len() <= most {
        let mut own = Vec::new();
        for t in 0..net.transitions.len() {
            let marking = &all[edges.len()];
            if !net.consumes[t].iter().all(|&(place, weight)| marking[place as usize] >= weight) {
                continue;
            }
            let mut next = marking.clone();
            net.consumes[t].iter().for_each(|&(place, weight)| next[place as usize] -= weight);
            net.produces[t].iter().for_each(|&(place, weight)| next[place as usize] += weight);
            let number = *numbers.entry(next).or_insert_with_key(|next| {
                all.push(next.clone());
                all.len() - 1
            });
            own.push((t as u32, number));
        }
        edges.push(own);
    }
    Markings { all, edges }
}

impl Markings {
    /// The markings that satisfy a formula. Least and greatest fixpoints are computed by repetition until nothing changes.
    pub(super) fn satisfying(&self, formula: &Ctl) -> Vec<bool> {
        let states = 0..self.all.len();
        let tokens = |state: usize, places: &[u64]| -> u64 {
            places.iter().map(|&place| u64::from(self.all[state][place as usize])).sum()
        };
        let fires = |state: usize, t: u64| self.edges[state].iter().any(|(own, _)| u64::from(*own) == t);
        match formula {
            Ctl::AtMost(left, right) => {
                let right = |state: usize| {
                    right.as_ref().map_or_else(|number| *number, |places| tokens(state, places))
                };
                states.map(|state| tokens(state, left) <= right(state)).collect()
            }
            Ctl::Fireable(all) => states.map(|state| all.iter().any(|&t| fires(state, t))).collect(),
            Ctl::Dead => states.map(|state| self.edges[state].is_empty()).collect(),
            Ctl::Not(inner) => self.satisfying(inner).into_iter().map(|holds| !holds).collect(),
            Ctl::And(all) => {
                let all: Vec<Vec<bool>> = all.iter().map(|part| self.satisfying(part)).collect();
                states.map(|state| all.iter().all(|part| part[state])).collect()
            }
            Ctl::Or(all) => {
                let all: Vec<Vec<bool>> = all.iter().map(|part| self.satisfying(part)).collect();
                states.map(|state| all.iter().any(|part| part[state])).collect()
            }
            Ctl::Runs(all, operator, parts) => {
                let parts: Vec<Vec<bool>> = parts.iter().map(|part| self.satisfying(part)).collect();
                self.runs(*all, operator, &parts)
            }
        }
    }

    /// Runs are maximal: one that comes to a dead marking ends there.
    fn runs(&self, all: bool, operator: &str, parts: &[Vec<bool>]) -> Vec<bool> {
        let after = |state: usize, set: &[bool]| {
            let mut targets = self.edges[state].iter().map(|(_, to)| set[*to]);
            if all { targets.all(|holds| holds) } else { targets.any(|holds| holds) }
        };
        let dead = |state: usize| self.edges[state].is_empty();
        let fixpoint = |start: bool, step: &dyn Fn(usize, &[bool]) -> bool| {
            let mut set = vec![start; self.all.len()];
            loop {
                let next: Vec<bool> = (0..set.len()).map(|state| step(state, &set)).collect();
                if next == set {
                    return set;
                }
                set = next;
            }
        };
        match operator {
            "next" => (0..self.all.len()).map(|state| after(state, &parts[0])).collect(),
            "finally" => fixpoint(false, &|s, set| parts[0][s] || !dead(s) && after(s, set)),
            "globally" => fixpoint(true, &|s, set| parts[0][s] && (dead(s) || after(s, set))),
            _ => fixpoint(false, &|s, set| parts[1][s] || parts[0][s] && !dead(s) && after(s, set)),
        }
    }
}
