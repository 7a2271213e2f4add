//! k-multiparty compatibility by the letter of its definitions (Lange, Yoshida 2019), on a table of configurations that is made from the
//! machines themselves: nothing is shared with the interpreter, and nothing is clever.

use elnath_cfsm::network::{Network, Transition};
use std::collections::{HashMap, HashSet, VecDeque};

/// Where the machines are, and what the channels hold.
type Configuration = (Vec<usize>, Vec<Vec<u32>>);
/// A transition of a machine, by the number of the machine and its own.
type Label = (usize, usize);

/// All configurations within a capacity, with their successors, and how many steps away they are.
pub(crate) struct Oracle<'n> {
    network: &'n Network,
    k: usize,
    order: Vec<Configuration>,
    numbers: HashMap<Configuration, usize>,
    next: Vec<Vec<(Label, usize)>>,
    distance: Vec<usize>,
}

/// What a transition does: the channel, the message, and whether it sends.
pub(crate) fn action(transition: &Transition) -> (usize, u32, bool) {
    match (&transition.sends[..], &transition.receives[..]) {
        ([(channel, word)], []) => (*channel, word[0], true),
        ([], [(channel, word)]) => (*channel, word[0], false),
        _ => panic!("session automata do one thing at a time"),
    }
}

impl<'n> Oracle<'n> {
    /// All of them, unless there are more than `most`.
    pub(crate) fn new(network: &'n Network, k: usize, most: usize) -> Option<Self> {
        let start: Configuration = (
            network.machines.iter().map(|machine| machine.initial).collect(),
            network.channels.iter().map(|channel| channel.contents.clone()).collect(),
        );
        let mut oracle = Self {
            network,
            k,
            order: vec![start.clone()],
            numbers: HashMap::from([(start, 0)]),
            next: Vec::new(),
            distance: vec![0],
        };
        while oracle.next.len() < oracle.order.len() {
            let from = oracle.next.len();
            let mut edges = Vec::new();
            for (label, to) in oracle.fire(&oracle.order[from]) {
                let number = oracle.order.len();
                let number = *oracle.numbers.entry(to.clone()).or_insert(number);
                if number == oracle.order.len() {
                    oracle.order.push(to);
                    oracle.distance.push(oracle.distance[from] + 1);
                }
                edges.push((label, number));
            }
            oracle.next.push(edges);
            if oracle.order.len() > most {
                return None;
            }
        }
        Some(oracle)
    }

    fn fire(&self, (at, contents): &Configuration) -> Vec<(Label, Configuration)> {
        let mut out = Vec::new();
        for (p, machine) in self.network.machines.iter().enumerate() {
            for (t, transition) in machine.transitions.iter().enumerate() {
                if transition.source != at[p] {
                    continue;
                }
                let (channel, message, sends) = action(transition);
                let (mut at, mut contents) = (at.clone(), contents.clone());
                at[p] = transition.target;
                if sends
                    && contents[channel].len() < self.k.max(self.network.channels[channel].contents.len())
                {
                    contents[channel].push(message);
                } else if !sends && contents[channel].first() == Some(&message) {
                    contents[channel].remove(0);
                } else {
                    continue;
                }
                out.push(((p, t), (at, contents)));
            }
        }
        out
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    fn of(&self, (p, t): Label) -> (usize, u32, bool) {
        action(&self.network.machines[p].transitions[t])
    }

    /// The labels that leave the state of a machine.
    fn leaving(&self, p: usize, state: usize) -> impl Iterator<Item = Label> + '_ {
        let transitions = self.network.machines[p].transitions.iter().enumerate();
        transitions.filter(move |(_, transition)| transition.source == state).map(move |(t, _)| (p, t))
    }

    /// Whether a path of allowed labels leads from a configuration to where a goal can be fired.
    fn path(&self, from: usize, goal: impl Fn(Label) -> bool, allowed: impl Fn(Label) -> bool) -> bool {
        let (mut seen, mut todo) = (HashSet::from([from]), VecDeque::from([from]));
        while let Some(at) = todo.pop_front() {
            for &(label, to) in &self.next[at] {
                if goal(label) {
                    return true;
                }
                if allowed(label) && seen.insert(to) {
                    todo.push_back(to);
                }
            }
        }
        false
    }

    /// How far away the nearest configuration is in which something is wrong.
    fn nearest(&self, wrong: impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.len()).filter(|&at| wrong(at)).map(|at| self.distance[at]).min()
    }

    /// Definition 9: every send of the state of a machine can be fired after a path without the machine.
    pub(crate) fn not_exhaustive(&self) -> Option<usize> {
        self.nearest(|at| {
            (0..self.network.machines.len()).any(|p| {
                self.leaving(p, self.order[at].0[p])
                    .filter(|&label| self.of(label).2)
                    .any(|send| !self.path(at, |label| label == send, |(mover, _)| mover != p))
            })
        })
    }

    /// Definition 4, eventual reception: the first message of every channel is received after some path.
    pub(crate) fn not_received(&self) -> Option<usize> {
        self.nearest(|at| {
            self.order[at].1.iter().enumerate().any(|(channel, content)| {
                let Some(&first) = content.first() else { return false };
                !self.path(at, |label| self.of(label) == (channel, first, false), |_| true)
            })
        })
    }

    /// Definition 4, progress: a machine in a receiving state receives after some path.
    pub(crate) fn no_progress(&self) -> Option<usize> {
        self.nearest(|at| {
            (0..self.network.machines.len()).any(|p| {
                let waits = self.leaving(p, self.order[at].0[p]).any(|label| !self.of(label).2);
                waits && !self.path(at, |label| label.0 == p && !self.of(label).2, |_| true)
            })
        })
    }

    /// Whether somebody wants to send to a full channel in some configuration.
    pub(crate) fn is_ever_full(&self) -> bool {
        (0..self.len()).any(|at| {
            (0..self.network.machines.len()).any(|p| {
                let here: Vec<Label> = self.next[at].iter().map(|(label, _)| *label).collect();
                self.leaving(p, self.order[at].0[p]).any(|label| self.of(label).2 && !here.contains(&label))
            })
        })
    }

    /// Definition 6: where a machine can send, it can send all that its state sends.
    pub(crate) fn output_bound_independent(&self) -> bool {
        (0..self.len()).all(|at| {
            (0..self.network.machines.len()).all(|p| {
                let can = |label: &Label| self.next[at].iter().any(|(other, _)| other == label);
                let sends: Vec<Label> =
                    self.leaving(p, self.order[at].0[p]).filter(|&label| self.of(label).2).collect();
                !sends.iter().any(can) || sends.iter().all(can)
            })
        })
    }

    /// Definition 11: where a machine can receive, what its state receives from other channels is neither there nor sent later.
    pub(crate) fn strongly_input_bound_independent(&self) -> bool {
        self.receptions().all(|(at, label, _)| {
            self.others(at, label).all(|(channel, message)| {
                self.order[at].1[channel].first() != Some(&message)
                    && !self.path(at, |other| self.of(other) == (channel, message, true), |_| true)
            })
        })
    }

    /// Definition 10, with the causal order: what its state receives from other channels is not there, and is sent later only where that
    /// depends on the reception.
    pub(crate) fn chained_input_bound_independent(&self) -> bool {
        self.receptions().all(|(at, label, to)| {
            let others: Vec<(usize, u32)> = self.others(at, label).collect();
            let absent =
                |&(channel, message): &(usize, u32)| self.order[at].1[channel].first() != Some(&message);
            others.iter().all(absent) && self.all_depend(to, label.0, &others)
        })
    }

    fn receptions(&self) -> impl Iterator<Item = (usize, Label, usize)> + '_ {
        let all =
            self.next.iter().enumerate().flat_map(|(at, edges)| edges.iter().map(move |edge| (at, *edge)));
        all.filter(|(_, (label, _))| !self.of(*label).2).map(|(at, (label, to))| (at, label, to))
    }

    /// What the state of a machine receives from other channels than this reception.
    fn others(&self, at: usize, label: Label) -> impl Iterator<Item = (usize, u32)> + '_ {
        let own = self.of(label).0;
        let all = self.leaving(label.0, self.order[at].0[label.0]).map(|other| self.of(other));
        all.filter(move |(channel, ..)| *channel != own).map(|(channel, message, _)| (channel, message))
    }

    /// Whether each of these sends, on every path, depends on what machine `p` has done just before: messages carry the dependence.
    fn all_depend(&self, from: usize, p: usize, sends: &[(usize, u32)]) -> bool {
        type Marked = (usize, Vec<bool>, Vec<VecDeque<bool>>);
        let mut depends = vec![false; self.network.machines.len()];
        depends[p] = true;
        let carried = self.order[from].1.iter().map(|content| content.iter().map(|_| false).collect());
        let start: Marked = (from, depends, carried.collect());
        let (mut seen, mut todo) = (HashSet::from([start.clone()]), vec![start]);
        while let Some((at, depends, carried)) = todo.pop() {
            for &(label, to) in &self.next[at] {
                let (channel, message, is_send) = self.of(label);
                if is_send && sends.contains(&(channel, message)) && !depends[label.0] {
                    return false;
                }
                let (mut depends, mut carried) = (depends.clone(), carried.clone());
                if is_send {
                    carried[channel].push_back(depends[label.0]);
                } else {
                    depends[label.0] |= carried[channel].pop_front().expect("it was there");
                }
                let next = (to, depends, carried);
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        true
    }
}
