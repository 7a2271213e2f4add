//! Strongly connected components of an automaton: which of them accept, how strong they are, and what can go.
//!
//! A run ends up in one component for ever, so everything about acceptance is a matter of single components. One of them
//! is *accepting* if its edges together belong to every acceptance set; *weak* if moreover each of its cycles does (or
//! if none accepts); *terminal* if from each of its states every letter stays inside. The strength of an automaton is
//! that of its strongest accepting component, and it decides which search is needed: reachability for a terminal one, a
//! depth-first search with a test on the path for a weak one, nested or component searches for the rest.
//!
//! [`prune`] removes the states from which no accepting component can be reached, forgets marks where they decide
//! nothing, and drops acceptance sets that another one implies in every component where it matters.

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::symbolic::{Symbolic, all_sets};

/// How much of acceptance an automaton needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Nothing is accepted: no accepting component can be reached.
    Empty,
    /// Whoever enters an accepting component has been accepted, whatever comes.
    Terminal,
    /// Inside a component either all cycles accept or none does.
    Weak,
    /// Some component has both kinds of cycles.
    Strong,
}

impl Strength {
    /// One word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Strength::Empty => "empty",
            Strength::Terminal => "terminal",
            Strength::Weak => "weak",
            Strength::Strong => "strong",
        }
    }
}

/// The strength of an automaton. States from which nothing is accepted count for nothing here.
pub fn strength(automaton: &Automaton) -> Strength {
    let mut bdds = Bdds::new();
    let automaton = Symbolic::from_automaton(&mut bdds, automaton);
    symbolic_strength(&mut bdds, &automaton)
}

/// By state: whether it lies in a component that accepts. In a weak automaton the runs that are accepted are those that
/// meet such states again and again; in a terminal one, those that meet one at all.
pub fn in_accepting_component(automaton: &Automaton) -> Vec<bool> {
    let mut bdds = Bdds::new();
    let components = Components::new(&Symbolic::from_automaton(&mut bdds, automaton));
    components.of.iter().map(|&of| of != NONE && components.accepting[of as usize]).collect()
}

/// Whether no word is accepted.
pub fn is_empty(automaton: &Automaton) -> bool {
    strength(automaton) == Strength::Empty
}

pub(crate) fn symbolic_strength(bdds: &mut Bdds, automaton: &Symbolic) -> Strength {
    let components = Components::new(automaton);
    let mut strongest = Strength::Empty;
    for component in 0..components.len() {
        if components.accepting[component] {
            let strength = if !components.weak[component] {
                Strength::Strong
            } else if is_closed(bdds, automaton, &components, component as u32) {
                Strength::Terminal
            } else {
                Strength::Weak
            };
            strongest = strongest.max(strength);
        }
    }
    strongest
}

/// Whether from every state of a component every letter stays inside.
fn is_closed(bdds: &mut Bdds, automaton: &Symbolic, components: &Components, component: u32) -> bool {
    (0..automaton.states()).filter(|&s| components.of[s] == component).all(|s| {
        let mut covered = Bdd::FALSE;
        for arrow in automaton.arrows[s].iter().filter(|a| components.of[a.to as usize] == component) {
            covered = bdds.or(covered, arrow.label);
        }
        covered == Bdd::TRUE
    })
}

/// The number of a component for states that cannot be reached.
pub(crate) const NONE: u32 = u32::MAX;

/// The components of what can be reached from the roots: for each state its number, [`NONE`] if it is not reached, and
/// how many there are. An edge between two components leads to the smaller number. Tarjan 1972, without recursion.
pub(crate) fn tarjan(successors: &[Vec<u32>], roots: impl IntoIterator<Item = u32>) -> (Vec<u32>, usize) {
    let mut of = vec![NONE; successors.len()];
    // Order of discovery, from 1; 0 for not yet.
    let mut order = vec![0u32; successors.len()];
    let mut low = vec![0u32; successors.len()];
    let (mut found, mut count) = (0u32, 0u32);
    let mut stack: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in roots {
        if order[root as usize] != 0 {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (state, ref mut next)) = path.last_mut() {
            let s = state as usize;
            if *next == 0 && order[s] == 0 {
                found += 1;
                (order[s], low[s]) = (found, found);
                stack.push(state);
            }
            if let Some(&to) = successors[s].get(*next) {
                *next += 1;
                let t = to as usize;
                if order[t] == 0 {
                    path.push((to, 0));
                } else if of[t] == NONE {
                    low[s] = low[s].min(order[t]);
                }
                continue;
            }
            path.pop();
            if low[s] == order[s] {
                loop {
                    let member = stack.pop().expect("the root of a component is on the stack");
                    of[member as usize] = count;
                    if member == state {
                        break;
                    }
                }
                count += 1;
            }
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[s]);
            }
        }
    }
    (of, count as usize)
}

/// The components of an automaton with what acceptance is like in each.
pub(crate) struct Components {
    /// By state: its component, or [`NONE`].
    pub(crate) of: Vec<u32>,
    /// By component: whether it has a cycle.
    pub(crate) cyclic: Vec<bool>,
    /// By component: whether some word stays in it and is accepted.
    pub(crate) accepting: Vec<bool>,
    /// By component: whether all its cycles accept, or none.
    pub(crate) weak: Vec<bool>,
}

impl Components {
    pub(crate) fn new(automaton: &Symbolic) -> Self {
        let (of, count) = tarjan(&automaton.successors(), [automaton.initial]);
        let mut met = vec![0u64; count];
        let mut cyclic = vec![false; count];
        for (s, arrows) in automaton.arrows.iter().enumerate().filter(|&(s, _)| of[s] != NONE) {
            for arrow in arrows.iter().filter(|a| of[a.to as usize] == of[s]) {
                met[of[s] as usize] |= arrow.marks;
                cyclic[of[s] as usize] = true;
            }
        }
        let accepting: Vec<bool> = (0..count).map(|c| cyclic[c] && met[c] == automaton.all()).collect();
        let mut components = Self { weak: vec![true; count], of, cyclic, accepting };
        for set in 0..automaton.sets {
            components.find_cycles_without(automaton, set);
        }
        components
    }

    /// An accepting component that has a cycle outside some set is not weak.
    fn find_cycles_without(&mut self, automaton: &Symbolic, set: u32) {
        let inside: Vec<Vec<u32>> = (automaton.arrows.iter().enumerate())
            .map(|(s, arrows)| {
                (arrows.iter())
                    .filter(|a| self.of[s] != NONE && self.of[a.to as usize] == self.of[s])
                    .filter(|a| a.marks >> set & 1 == 0)
                    .map(|a| a.to)
                    .collect()
            })
            .collect();
        let (parts, count) = tarjan(&inside, 0..inside.len() as u32);
        let mut sizes = vec![0u32; count];
        parts.iter().for_each(|&part| sizes[part as usize] += 1);
        for (s, targets) in inside.iter().enumerate() {
            let cycle = sizes[parts[s] as usize] > 1 || targets.contains(&(s as u32));
            if cycle && self.accepting[self.of[s] as usize] {
                self.weak[self.of[s] as usize] = false;
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.cyclic.len()
    }

    /// By component: whether an accepting one can be reached from it.
    fn useful(&self, automaton: &Symbolic) -> Vec<bool> {
        let mut useful = self.accepting.clone();
        // Smaller numbers first: they are complete when a larger one asks.
        let mut order: Vec<usize> = (0..automaton.states()).filter(|&s| self.of[s] != NONE).collect();
        order.sort_by_key(|&s| self.of[s]);
        for s in order {
            if automaton.arrows[s].iter().any(|a| useful[self.of[a.to as usize] as usize]) {
                useful[self.of[s] as usize] = true;
            }
        }
        useful
    }
}

/// What marks an edge has that cannot be taken again and again; it decides nothing, so it is chosen as is useful.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    /// No set: such an edge is easily imitated by others.
    Unmarked,
    /// Every set: such an edge easily imitates others.
    Marked,
}

/// Removes what no accepted word needs; see the header.
pub(crate) fn prune(bdds: &mut Bdds, automaton: &mut Symbolic, passing: Passing) {
    let components = Components::new(automaton);
    let useful = components.useful(automaton);
    if !useful[components.of[automaton.initial as usize] as usize] {
        *automaton = Symbolic::nothing();
        return;
    }
    let all = automaton.all();
    for (s, arrows) in automaton.arrows.iter_mut().enumerate() {
        let here = components.of[s];
        if here == NONE {
            arrows.clear();
            continue;
        }
        arrows.retain(|a| useful[components.of[a.to as usize] as usize]);
        for arrow in arrows.iter_mut() {
            let component = here as usize;
            if components.of[arrow.to as usize] != here {
                arrow.marks = if passing == Passing::Marked { all } else { 0 };
            } else if !components.accepting[component] {
                arrow.marks = 0;
            } else if components.weak[component] {
                arrow.marks = all;
            }
        }
    }
    drop_sets(automaton, &components);
    automaton.join_arrows(bdds);
    automaton.compact();
}

/// The same for an automaton with one set in which acceptance is a matter of states, and remains one.
pub(crate) fn prune_states(bdds: &mut Bdds, automaton: &mut Symbolic) {
    let components = Components::new(automaton);
    let useful = components.useful(automaton);
    if !useful[components.of[automaton.initial as usize] as usize] {
        *automaton = Symbolic { sets: 1, ..Symbolic::nothing() };
        return;
    }
    for (s, arrows) in automaton.arrows.iter_mut().enumerate().filter(|&(s, _)| components.of[s] != NONE) {
        let here = components.of[s] as usize;
        arrows.retain(|a| useful[components.of[a.to as usize] as usize]);
        for arrow in arrows.iter_mut() {
            if !components.accepting[here] {
                arrow.marks = 0;
            } else if components.weak[here] {
                arrow.marks = 1;
            }
        }
    }
    automaton.join_arrows(bdds);
    automaton.compact();
}

/// By component: the marks of the edges inside.
fn marks_inside(automaton: &Symbolic, components: &Components) -> Vec<Vec<u64>> {
    let mut marks = vec![Vec::new(); components.len()];
    for (s, arrows) in automaton.arrows.iter().enumerate().filter(|&(s, _)| components.of[s] != NONE) {
        let inside = arrows.iter().filter(|a| components.of[a.to as usize] == components.of[s]);
        marks[components.of[s] as usize].extend(inside.map(|a| a.marks));
    }
    marks
}

/// Whether, among edges with these marks, meeting the sets `kept` for ever means meeting `set`.
fn is_implied(set: u32, kept: &[u32], marks: &[u64]) -> bool {
    let covers = |other: u32| marks.iter().all(|m| m >> other & 1 == 0 || m >> set & 1 == 1);
    marks.iter().all(|m| m >> set & 1 == 1) || kept.iter().any(|&other| other != set && covers(other))
}

/// The marks with the sets `kept` numbered from 0.
fn renumbered(marks: u64, kept: &[u32]) -> u64 {
    kept.iter().enumerate().fold(0, |new, (i, &old)| new | (marks >> old & 1) << i)
}

/// Whether a component cycles without accepting: then one set at least is needed, for it not to meet.
fn some_component_rejects(components: &Components) -> bool {
    (0..components.len()).any(|c| components.cyclic[c] && !components.accepting[c])
}

/// Drops the acceptance sets that another set implies in every accepting component.
fn drop_sets(automaton: &mut Symbolic, components: &Components) {
    let marks = marks_inside(automaton, components);
    let mut kept: Vec<u32> = (0..automaton.sets).collect();
    for set in (0..automaton.sets).rev() {
        let mut accepting = (0..components.len()).filter(|&c| components.accepting[c]);
        if accepting.all(|c| is_implied(set, &kept, &marks[c])) {
            kept.retain(|&k| k != set);
        }
    }
    if kept.is_empty() && automaton.sets > 0 && some_component_rejects(components) {
        kept.push(0);
    }
    for arrow in automaton.arrows.iter_mut().flatten() {
        arrow.marks = renumbered(arrow.marks, &kept);
    }
    automaton.sets = kept.len() as u32;
}

/// Gives each accepting component its own smallest choice of sets, numbered from 0: the automaton then has as many as
/// its neediest component. Marks no longer mean the same across components, so simulations come before, not after.
pub(crate) fn share_sets(automaton: &mut Symbolic) {
    let components = Components::new(automaton);
    let marks = marks_inside(automaton, &components);
    let mut kept_by: Vec<Vec<u32>> = vec![Vec::new(); components.len()];
    for (c, kept) in kept_by.iter_mut().enumerate().filter(|&(c, _)| components.accepting[c]) {
        kept.extend(0..automaton.sets);
        for set in (0..automaton.sets).rev() {
            if is_implied(set, kept, &marks[c]) {
                kept.retain(|&k| k != set);
            }
        }
    }
    let most = kept_by.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let sets = if automaton.sets > 0 && some_component_rejects(&components) { most.max(1) } else { most };
    for (s, arrows) in automaton.arrows.iter_mut().enumerate().filter(|&(s, _)| components.of[s] != NONE) {
        let here = components.of[s];
        let kept = &kept_by[here as usize];
        for arrow in arrows.iter_mut() {
            let inside = components.of[arrow.to as usize] == here && components.accepting[here as usize];
            // The sets that this component does not need are met by every edge of it.
            let spare = all_sets(sets) & !all_sets(kept.len() as u32);
            arrow.marks = if inside { renumbered(arrow.marks, kept) | spare } else { 0 };
        }
    }
    automaton.sets = sets;
}
