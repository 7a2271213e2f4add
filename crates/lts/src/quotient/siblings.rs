//! Who simulates whom, asked of siblings only: targets of one state by one label.
//!
//! A quotient by simulation needs little of the preorder. A transition is left out if it leads to a *little brother*, a state that a
//! sibling simulates; of siblings that simulate each other one stays. Every state is then still what it was, up to
//! simulation both ways, so the preorder of the states is the same; and where no transition leads to a little brother, two states that simulate each
//! other are bisimilar. (If p steps to p', then q steps to some q' above it, and p to some p'' above that; p'' is above its sibling p', so
//! it is p', and q' is p' up to simulation both ways.) So strong bisimulation finishes the work.
//!
//! Pairs of siblings and what these depend on are decided by a local solver, as comparisons are: a pair is taken to be related until it is
//! refuted, and each of its obligations watches one answer that is not refuted. Where hardly anything simulates
//! anything, these are few pairs and most are refuted near by. Where they become too many, the [preorder of all
//! states](super::preorder) is not so bad, and is asked instead.

use std::collections::HashMap;

use elnath_kernel::Limit;

use super::graph::Graph;
use super::meter::Meter;
use super::signatures::pair as key;
use crate::lts::Edge;

/// The graph without transitions to little brothers; `None` if that took too many pairs. Its edges are sorted, state by state, and none
/// is there twice.
pub(super) fn without_little_brothers(
    graph: &Graph<'_>,
    ready: bool,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Graph<'static>>, Limit> {
    let mut solver = Solver::new(graph, ready);
    for state in 0..graph.len() as u32 {
        for siblings in graph.edges(state).chunk_by(|a, b| a.label == b.label) {
            for little in siblings {
                for big in siblings.iter().filter(|big| big.target != little.target) {
                    solver.meet(little.target, big.target);
                    solver.solve(meter)?;
                    if solver.pairs.len() > solver.most {
                        meter.give_back(solver.charged);
                        return Ok(None);
                    }
                }
            }
        }
    }
    let (mut offsets, mut edges) = (vec![0u32], Vec::with_capacity(graph.edges.len()));
    meter.take(size_of_val(&*graph.edges) + size_of_val(&*graph.offsets))?;
    for state in 0..graph.len() as u32 {
        for siblings in graph.edges(state).chunk_by(|a, b| a.label == b.label) {
            let stays = |edge: &&Edge| {
                siblings.iter().all(|big| {
                    big.target == edge.target
                        || !solver.is_below(edge.target, big.target)
                        // Of those that simulate each other, the first.
                        || edge.target < big.target && solver.is_below(big.target, edge.target)
                })
            };
            edges.extend(siblings.iter().filter(stays));
            meter.work(siblings.len() * siblings.len())?;
        }
        offsets.push(edges.len() as u32);
    }
    meter.give_back(solver.charged);
    Ok(Some(Graph { initial: graph.initial, offsets: offsets.into(), edges: edges.into(), tau: graph.tau }))
}

const NONE: u32 = u32::MAX;

/// A transition of the left state of a pair, and the transition of the right one that answers it.
struct Obligation {
    owner: u32,
    challenge: u32,
    answer: u32,
    /// Another that watches the same pair.
    next: u32,
}

struct Solver<'a> {
    graph: &'a Graph<'a>,
    /// Whether the right state may have no label that the left one does not have.
    ready: bool,
    number: HashMap<u64, u32>,
    pairs: Vec<(u32, u32)>,
    refuted: Vec<bool>,
    /// By pair: the first obligation that watches it.
    watchers: Vec<u32>,
    obligations: Vec<Obligation>,
    /// Met and not yet looked at; refuted and not yet told.
    waiting: Vec<u32>,
    fallen: Vec<u32>,
    /// So many pairs are too many.
    most: usize,
    charged: usize,
}

impl<'a> Solver<'a> {
    fn new(graph: &'a Graph<'a>, ready: bool) -> Self {
        Self {
            graph,
            ready,
            number: HashMap::new(),
            pairs: Vec::new(),
            refuted: Vec::new(),
            watchers: Vec::new(),
            obligations: Vec::new(),
            waiting: Vec::new(),
            fallen: Vec::new(),
            most: (1 << 20) + 4 * (graph.len() + graph.edges.len()),
            charged: 0,
        }
    }

    /// Whether a pair that was solved is related.
    fn is_below(&self, little: u32, big: u32) -> bool {
        little == big || !self.refuted[self.number[&key(little, big)] as usize]
    }

    fn meet(&mut self, little: u32, big: u32) -> u32 {
        let next = self.pairs.len() as u32;
        let number = *self.number.entry(key(little, big)).or_insert(next);
        if number == next {
            self.pairs.push((little, big));
            self.refuted.push(false);
            self.watchers.push(NONE);
            self.waiting.push(next);
        }
        number
    }

    /// Until nothing waits: then what is not refuted is related, since it supports itself.
    fn solve(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        while let Some(pair) = self.waiting.pop() {
            self.look_at(pair, meter)?;
            while let Some(pair) = self.fallen.pop() {
                let mut at = std::mem::replace(&mut self.watchers[pair as usize], NONE);
                while at != NONE {
                    let Obligation { owner, next, .. } = self.obligations[at as usize];
                    if !self.refuted[owner as usize] {
                        self.obligations[at as usize].answer += 1;
                        self.settle(at, meter)?;
                    }
                    at = next;
                }
            }
            if self.pairs.len() > self.most {
                return Ok(());
            }
            let bytes = self.pairs.capacity() * 13
                + self.number.capacity() * 20
                + self.obligations.capacity() * size_of::<Obligation>();
            if bytes > self.charged {
                meter.take(bytes - self.charged)?;
                self.charged = bytes;
            }
        }
        Ok(())
    }

    fn look_at(&mut self, pair: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let (little, big) = self.pairs[pair as usize];
        let (mine, others) = (self.graph.edges(little), self.graph.edges(big));
        let lacks = |list: &[Edge], label: u32| list.binary_search_by_key(&label, |edge| edge.label).is_err();
        meter.work(mine.len() + others.len())?;
        if mine.iter().any(|edge| lacks(others, edge.label))
            || self.ready && others.iter().any(|edge| lacks(mine, edge.label))
        {
            self.refute(pair);
            return Ok(());
        }
        let [first_mine, first_other] = [little, big].map(|state| self.graph.offsets[state as usize]);
        for (challenge, edge) in (first_mine..).zip(mine) {
            if others.binary_search(edge).is_ok() {
                // The same target is an answer for good.
                continue;
            }
            let answer = first_other + others.partition_point(|other| other.label < edge.label) as u32;
            let at = self.obligations.len() as u32;
            self.obligations.push(Obligation { owner: pair, challenge, answer, next: NONE });
            self.settle(at, meter)?;
            if self.refuted[pair as usize] {
                break;
            }
        }
        Ok(())
    }

    /// Watches an answer that is not refuted, from the present one on; if there is none, the owner is refuted.
    fn settle(&mut self, at: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let Obligation { owner, challenge, mut answer, .. } = self.obligations[at as usize];
        let Edge { label, target } = self.graph.edges[challenge as usize];
        let end = self.graph.offsets[self.pairs[owner as usize].1 as usize + 1];
        while answer < end && self.graph.edges[answer as usize].label == label {
            meter.work(1)?;
            let met = self.meet(target, self.graph.edges[answer as usize].target);
            if !self.refuted[met as usize] {
                let next = std::mem::replace(&mut self.watchers[met as usize], at);
                let watching = &mut self.obligations[at as usize];
                (watching.answer, watching.next) = (answer, next);
                return Ok(());
            }
            answer += 1;
        }
        self.refute(owner);
        Ok(())
    }

    fn refute(&mut self, pair: u32) {
        if !std::mem::replace(&mut self.refuted[pair as usize], true) {
            self.fallen.push(pair);
        }
    }
}
