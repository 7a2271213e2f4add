//! Why two nodes have parted, from the history of the blocks.
//!
//! After Cleaveland 1990 and Martens and Groote 2023: if two nodes part in round k, one of them can do something, and wherever the
//! same label leads from the other one, the nodes that are then compared parted before round k, or those just before the step did.
//! So the strategy is found by going backwards through the history, and takes as many exchanges in sequence as there were rounds.
//!
//! What keeps it small: exchanges are made for pairs of *blocks* of the round in which these parted, not for pairs of nodes, and the
//! formula of an exchange is tried on further answers before another exchange is made for these. So an answer may be refuted
//! by an exchange between other nodes than those it leads to, which no formula of that depth tells apart from them.

use super::super::diagnosis::{Planned, bytes_of_plan, sorted};
use super::super::game::{Challenge, Game, Pair};
use super::super::meter::{Meter, Spender};
use super::super::side::{DIVERGES, Side, Style, TAU};
use super::graph::Graph;
use super::history::History;
use super::{Refining, Rounds};
use elnath_kernel::Limit;
use elnath_solve::Obligation;
use std::collections::{HashMap, HashSet};

pub(super) struct Explainer<'x, 's, 'l, 'a, 'b> {
    rounds: &'x Rounds,
    /// Where the nodes of the game are in what was refined.
    fold: &'x dyn Fold,
    refining: &'x Refining,
    game: &'x mut Game<'s, 'l>,
    meter: &'x mut Meter<'a, 'b>,
    items: Vec<Item>,
    /// By the round in which two blocks parted, and these.
    known: HashMap<(u32, u32, u32), u32>,
    answers: usize,
    /// Bytes of what is known of formulas.
    held: usize,
    /// Work that trying formulas may still cost: as much as finding the classes has.
    patience: u64,
}

struct Item {
    planned: Planned,
    round: u32,
    mover: usize,
    label: u32,
    /// Of which nodes of the graph the formula holds, where somebody has asked.
    holds: Option<Vec<bool>>,
}

/// Where a node of a side is in what was refined, which may be a smaller system that is bisimilar.
pub(crate) trait Fold {
    fn node(&self, side: &Side<'_>, index: usize, node: u32) -> u32;
}

/// The sides themselves were refined.
pub(super) struct Unfolded;

impl Fold for Unfolded {
    fn node(&self, _: &Side<'_>, _: usize, node: u32) -> u32 {
        node
    }
}

/// An exchange that is being made.
struct Frame {
    item: u32,
    obligation: Obligation,
    /// The exchanges that refute answers so far, by whether they are about the node before.
    chosen: Vec<(u32, bool)>,
    /// By block after the round before: what refutes an answer there.
    settled: HashMap<(bool, u32), u32>,
}

impl Frame {
    fn bytes(&self) -> usize {
        8 * self.chosen.capacity() + 16 * self.settled.capacity()
    }
}

impl<'x, 's, 'l, 'a, 'b> Explainer<'x, 's, 'l, 'a, 'b> {
    pub(super) fn new(
        rounds: &'x Rounds,
        fold: &'x dyn Fold,
        refining: &'x Refining,
        game: &'x mut Game<'s, 'l>,
        meter: &'x mut Meter<'a, 'b>,
    ) -> Self {
        let patience = meter.spent();
        Self {
            rounds,
            fold,
            refining,
            game,
            meter,
            items: Vec::new(),
            known: HashMap::new(),
            answers: 0,
            held: 0,
            patience,
        }
    }

    pub(super) fn explain(mut self) -> Result<Vec<Planned>, Limit> {
        let root = self.game.root(self.meter)?;
        let mut path = vec![self.begin(root)?];
        while let Some(frame) = path.last_mut() {
            let mover = frame.obligation.mover();
            let item = &self.items[frame.item as usize];
            let (pair, round, next) = (item.planned.pair, item.round, item.planned.then.len() as u32);
            if next == frame.obligation.len {
                self.held -= frame.bytes();
                path.pop();
                continue;
            }
            let (target, mid) = self.answer(pair, frame.obligation, next);
            // Of two pairs that have parted, the one that did earlier.
            let parted = |met: Pair| self.parted(met).filter(|&parted| parted < round);
            let before = mid.and_then(|mid| Some((parted(mid)?, mid, true)));
            let after = parted(target).map(|round| (round, target, false));
            let disputed = before.into_iter().chain(after).min_by_key(|&(round, _, before)| (round, before));
            let (_, met, is_before) = disputed.expect("every answer parted before");
            let there = self.node(1 - mover, met.node(1 - mover));
            let group = (is_before, self.history().after(there, round - 1));
            let then = match frame.settled.get(&group) {
                Some(&then) => then,
                None => match self.tried(frame, is_before, there)?.or_else(|| self.recall(met)) {
                    Some(then) => {
                        self.held -= frame.bytes();
                        frame.settled.insert(group, then);
                        if !frame.chosen.contains(&(then, is_before)) {
                            frame.chosen.push((then, is_before));
                        }
                        self.held += frame.bytes();
                        self.account()?;
                        then
                    }
                    None => {
                        let frame = self.begin(met)?;
                        path.push(frame);
                        continue;
                    }
                },
            };
            self.items[frame.item as usize].planned.then.push((then, is_before));
            self.answers += 1;
            self.meter.work(1)?;
        }
        self.account()?;
        let rounds: HashMap<Pair, u32> =
            self.items.iter().map(|item| (item.planned.pair, item.round)).collect();
        let plan = self.items.into_iter().map(|item| item.planned).collect();
        Ok(sorted(plan, |planned| std::cmp::Reverse(rounds[&planned.pair])))
    }

    /// The nodes that an answer leads to, and those just before the last steps, where these count.
    fn answer(&self, pair: Pair, obligation: Obligation, k: u32) -> (Pair, Option<Pair>) {
        let (sides, mover) = (&self.game.sides, obligation.mover());
        let target = self.game.candidate(pair, obligation, k).target;
        let mid = sides[mover].mid(obligation.challenge());
        let mid = mid.zip(sides[1 - mover].mid(obligation.first + k));
        (target, mid.map(|(mine, other)| Pair::of(mover, mine, other)))
    }

    fn account(&mut self) -> Result<(), Limit> {
        self.account_with(0)
    }

    /// The same with what is there for a moment only.
    fn account_with(&mut self, made: usize) -> Result<(), Limit> {
        let bytes =
            made + self.held + 48 * self.known.capacity() + bytes_of_plan(self.items.len(), self.answers);
        self.meter.tick(Spender::Diagnosis, bytes, 0)
    }

    fn history(&self) -> &'x History {
        &self.refining.history
    }

    /// The node of the graph for a node of a side.
    fn node(&self, side: usize, node: u32) -> u32 {
        let folded = self.fold.node(&self.game.sides[side], side, node);
        self.refining.node(self.rounds.number(side, folded))
    }

    fn parted(&self, Pair(left, right): Pair) -> Option<u32> {
        self.history().parted(self.node(0, left), self.node(1, right))
    }

    /// What the exchange for a pair is known by.
    fn key(&self, Pair(left, right): Pair) -> (u32, u32, u32) {
        let (left, right) = (self.node(0, left), self.node(1, right));
        let round = self.history().parted(left, right).expect("they have parted");
        (round, self.history().after(left, round), self.history().after(right, round))
    }

    /// The exchange for a pair, if there is one already.
    fn recall(&self, pair: Pair) -> Option<u32> {
        self.known.get(&self.key(pair)).copied()
    }

    /// Begins the exchange for a pair: what is done in it.
    fn begin(&mut self, pair: Pair) -> Result<Frame, Limit> {
        let key = self.key(pair);
        let round = key.0;
        let [left, right] = &mut self.game.sides;
        left.open(pair.0, &mut self.game.labels, self.meter)?;
        right.open(pair.1, &mut self.game.labels, self.meter)?;
        let code = self.challenge(pair, round - 1)?;
        let obligation = self.game.obligation(pair, code);
        let label = self.game.sides[obligation.mover()].step(obligation.challenge()).label;
        let planned = Planned { pair, code, then: Vec::with_capacity(obligation.len as usize) };
        let item = self.items.len() as u32;
        self.items.push(Item { planned, round, mover: obligation.mover(), label, holds: None });
        self.known.insert(key, item);
        self.account()?;
        Ok(Frame { item, obligation, chosen: Vec::new(), settled: HashMap::new() })
    }

    /// What one node can do and the other cannot, as the blocks after a round have it; of all such things, one with few kinds
    /// of answers.
    fn challenge(&mut self, pair: Pair, round: u32) -> Result<u32, Limit> {
        // By side: its possibilities as labels and blocks, each with its place.
        let mut lists: [Vec<([u32; 3], u32)>; 2] = Default::default();
        for (side, list) in lists.iter_mut().enumerate() {
            let (here, block) =
                (pair.node(side), |node: u32| self.history().after(self.node(side, node), round));
            for index in self.game.sides[side].all_answers(here).range() {
                let index = index as u32;
                let step = self.game.sides[side].step(index);
                let mid = self.game.sides[side].mid(index);
                list.push(([step.label, block(step.target), mid.map_or(0, block)], index));
            }
            self.meter.work(list.len() + 1)?;
            // Of those that are alike, rather one without internal steps before it.
            let first = |index: u32| self.game.sides[side].mid(index).is_some_and(|mid| mid != here);
            list.sort_unstable_by_key(|&(kind, index)| (kind, first(index), index));
            list.dedup_by_key(|&mut (kind, _)| kind);
        }
        let made = lists.iter().map(Vec::capacity).sum::<usize>() * size_of::<([u32; 3], u32)>();
        self.account_with(made)?;
        let mut best = None;
        for mover in 0..2 {
            let (mine, others) = (&lists[mover], &lists[1 - mover]);
            for &(kind, index) in mine {
                if others.binary_search_by_key(&kind, |&(kind, _)| kind).is_ok() {
                    continue;
                }
                let first = others.partition_point(|&([label, ..], _)| label < kind[0]);
                let kinds = others[first..].partition_point(|&([label, ..], _)| label == kind[0]);
                let apart = self.game.sides[mover].mid(index).is_some_and(|mid| mid != pair.node(mover));
                let score = (kinds, apart, kind[0] == TAU, mover);
                if best.is_none_or(|(least, _)| score < least) {
                    best = Some((score, index));
                }
            }
        }
        let ((.., mover), index) = best.expect("one of two nodes that part can do what the other cannot");
        if index > u32::MAX >> 1 {
            return Err(Limit::Memory);
        }
        Ok(index << 1 | mover as u32)
    }

    /// An exchange chosen for another answer that refutes this one too.
    fn tried(&mut self, frame: &Frame, before: bool, there: u32) -> Result<Option<u32>, Limit> {
        let mover = frame.obligation.mover();
        for &(then, about) in &frame.chosen {
            if about != before || !self.evaluate(then)? {
                continue;
            }
            let item = &self.items[then as usize];
            let holds = item.holds.as_ref().expect("it was evaluated")[there as usize];
            // The formula is true of its mover.
            if holds != (item.mover == mover) {
                return Ok(Some(then));
            }
        }
        Ok(None)
    }

    /// Makes sure that it is known where the formula of an exchange holds; false if that is not worth it.
    fn evaluate(&mut self, item: u32) -> Result<bool, Limit> {
        // It and all that it rests on. What is begun first rests on what is begun later.
        let (mut needed, mut seen) = (vec![item], HashSet::from([item]));
        let mut next = 0;
        while let Some(&at) = needed.get(next) {
            next += 1;
            if self.items[at as usize].holds.is_some() {
                continue;
            }
            let then = self.items[at as usize].planned.then.iter().map(|&(then, _)| then);
            needed.extend(then.filter(|&then| seen.insert(then)));
        }
        needed.retain(|&at| self.items[at as usize].holds.is_none());
        let graph = &self.refining.graph;
        let work = (needed.len() * graph.size()) as u64;
        if work > self.patience {
            return Ok(false);
        }
        self.patience -= work;
        needed.sort_unstable_by_key(|&at| self.items[at as usize].round);
        for at in needed {
            self.meter.work(graph.size())?;
            let holds = self.holds(at);
            self.held += holds.len();
            self.items[at as usize].holds = Some(holds);
            self.account()?;
        }
        Ok(true)
    }

    /// Of which nodes the formula of an exchange holds; what it rests on is known.
    fn holds(&self, at: u32) -> Vec<bool> {
        let (graph, item) = (&self.refining.graph, &self.items[at as usize]);
        let part = |before: bool| {
            let mut parts: Vec<u32> = item
                .planned
                .then
                .iter()
                .filter(|&&(_, about)| about == before)
                .map(|&(then, _)| then)
                .collect();
            parts.sort_unstable();
            parts.dedup();
            move |node: u32| {
                parts.iter().all(|&then| {
                    let part = &self.items[then as usize];
                    let holds = part.holds.as_ref().expect("what it rests on is known")[node as usize];
                    holds == (part.mover == item.mover)
                })
            }
        };
        evaluated(graph, self.rounds.style, item.label, part(true), part(false))
    }
}

/// Of which nodes the modality of a style holds, if `before` and `after` say where its parts do. Internal steps lead to smaller numbers, so one
/// walk is enough.
fn evaluated(
    graph: &Graph,
    style: Style,
    label: u32,
    before: impl Fn(u32) -> bool,
    after: impl Fn(u32) -> bool,
) -> Vec<bool> {
    let nodes = 0..graph.len() as u32;
    let inside =
        |holds: &[bool], node: u32| graph.internal(node).iter().any(|step| holds[step.target as usize]);
    let some = |node: u32, good: &dyn Fn(u32) -> bool| {
        graph.visible(node).iter().any(|step| step.label == label && good(step.target))
    };
    let mut holds = Vec::with_capacity(graph.len());
    match style {
        Style::Strong | Style::TauStar => {
            for node in nodes {
                holds.push(some(node, &after) || inside(&holds, node));
            }
        }
        Style::Delay | Style::Weak if label == TAU => {
            for node in nodes {
                holds.push(after(node) || inside(&holds, node));
            }
        }
        Style::Delay => {
            for node in nodes {
                holds.push(some(node, &after) || inside(&holds, node));
            }
        }
        Style::Weak => {
            let mut reach = Vec::with_capacity(graph.len());
            for node in nodes.clone() {
                reach.push(after(node) || inside(&reach, node));
            }
            for node in nodes {
                holds.push(some(node, &|target| reach[target as usize]) || inside(&holds, node));
            }
        }
        Style::Branching { .. } => {
            for node in nodes {
                let here = match label {
                    TAU => after(node) || graph.internal(node).iter().any(|step| after(step.target)),
                    DIVERGES => graph.is_busy(node) && after(node),
                    _ => some(node, &after),
                };
                holds.push((here && before(node)) || inside(&holds, node));
            }
        }
    }
    holds
}
