//! From refuted pairs to a strategy that is small.
//!
//! A solver knows of each refuted pair what the mover does, and that every answer leads to a pair that was refuted before. To follow
//! that word for word would make an exchange for each pair that any answer leads to, and there can be a hundred thousand.
//! But the formula of an exchange that refutes one answer often refutes others too. So it is tried on these first, and another exchange is
//! made only for what is left. What a formula says of a node is found in the lists of the game: that some entry with its label leads to where its
//! parts hold. This costs at most as much as the solver did; after that, exchanges are made as they come.

use super::diagnosis::{Planned, bytes_of_plan, sorted};
use super::game::{Challenge, Game, Pair};
use super::meter::{Meter, Spender};
use elnath_kernel::Limit;
use elnath_solve::{Obligation, Refutations};
use std::collections::HashMap;

/// Gathers what a refutation of the root rests on: the exchanges, that of the root first.
pub(crate) fn planned(
    game: &mut Game<'_, '_>,
    root: Pair,
    refutations: &dyn Refutations<Pair>,
    meter: &mut Meter<'_, '_>,
) -> Result<Vec<Planned>, Limit> {
    let patience = meter.spent();
    let (items, known, holds) = (Vec::new(), HashMap::new(), HashMap::new());
    let mut maker = Maker { game, refutations, meter, items, known, holds, answers: 0, patience };
    let mut path = vec![maker.begin(root)?];
    while let Some(frame) = path.last_mut() {
        let Item { planned, stamp, .. } = &maker.items[frame.item as usize];
        let (pair, stamp, next) = (planned.pair, *stamp, planned.then.len() as u32);
        if next == frame.obligation.len {
            path.pop();
            continue;
        }
        let candidate = maker.game.candidate(pair, frame.obligation, next);
        let earlier = |met: Pair| {
            let refuted = refutations.refuted(met)?;
            (refuted.stamp < stamp).then_some((refuted.stamp, met))
        };
        let met = candidate.vertices().filter_map(earlier).min();
        let (_, met) = met.expect("every candidate of a failed obligation was refuted before");
        let before = candidate.also == Some(met);
        let then = match maker.tried(frame, candidate.target, candidate.also)? {
            Some(then) => then,
            None => match maker.known.get(&met) {
                Some(&then) => (then, before),
                None => {
                    let frame = maker.begin(met)?;
                    path.push(frame);
                    continue;
                }
            },
        };
        if !frame.chosen.contains(&then) {
            frame.chosen.push(then);
        }
        maker.items[frame.item as usize].planned.then.push(then);
        maker.answers += 1;
    }
    let stamps: HashMap<Pair, u32> = maker.items.iter().map(|item| (item.planned.pair, item.stamp)).collect();
    let plan = maker.items.into_iter().map(|item| item.planned).collect();
    Ok(sorted(plan, |planned| std::cmp::Reverse(stamps[&planned.pair])))
}

struct Maker<'x, 's, 'l, 'a, 'b> {
    game: &'x mut Game<'s, 'l>,
    refutations: &'x dyn Refutations<Pair>,
    meter: &'x mut Meter<'a, 'b>,
    items: Vec<Item>,
    known: HashMap<Pair, u32>,
    /// By exchange and node of a side: whether its formula holds.
    holds: HashMap<Asked, bool>,
    answers: usize,
    /// Work that trying formulas may still cost.
    patience: u64,
}

struct Item {
    planned: Planned,
    stamp: u32,
    mover: usize,
    label: u32,
}

struct Frame {
    item: u32,
    obligation: Obligation,
    /// The exchanges that refute answers so far, and whether they are about the node before.
    chosen: Vec<(u32, bool)>,
}

/// An exchange, a side and a node.
type Asked = (u32, u8, u32);

impl Maker<'_, '_, '_, '_, '_> {
    fn begin(&mut self, pair: Pair) -> Result<Frame, Limit> {
        let refuted = self.refutations.refuted(pair).expect("a diagnosis rests on refuted pairs");
        let obligation = self.game.obligation(pair, refuted.code);
        let mover = obligation.mover();
        let label = self.game.sides[mover].step(obligation.challenge()).label;
        let planned = Planned { pair, code: refuted.code, then: Vec::with_capacity(obligation.len as usize) };
        let item = self.items.len() as u32;
        self.items.push(Item { planned, stamp: refuted.stamp, mover, label });
        self.known.insert(pair, item);
        self.account()?;
        Ok(Frame { item, obligation, chosen: Vec::new() })
    }

    fn account(&mut self) -> Result<(), Limit> {
        let tables = 48 * self.known.capacity() + 24 * self.holds.capacity();
        self.meter.work(1)?;
        self.meter.tick(Spender::Diagnosis, tables + bytes_of_plan(self.items.len(), self.answers), 0)
    }

    /// An exchange chosen for another answer that refutes this one too.
    fn tried(
        &mut self,
        frame: &Frame,
        target: Pair,
        mid: Option<Pair>,
    ) -> Result<Option<(u32, bool)>, Limit> {
        let mover = frame.obligation.mover();
        let answerer = 1 - mover;
        for &(then, before) in &frame.chosen {
            if self.patience == 0 {
                return Ok(None);
            }
            let Some(met) = (if before { mid } else { Some(target) }) else { continue };
            let same = self.items[then as usize].mover == mover;
            if self.evaluate((then, answerer as u8, met.node(answerer)))? != same {
                return Ok(Some((then, before)));
            }
        }
        Ok(None)
    }

    /// Whether a formula holds of a node. No recursion: formulas are as deep as refutations are long.
    fn evaluate(&mut self, asked: Asked) -> Result<bool, Limit> {
        let mut pending = vec![asked];
        while let Some(&now) = pending.last() {
            if self.holds.contains_key(&now) {
                pending.pop();
                continue;
            }
            match self.attempt(now)? {
                Ok(value) => {
                    self.holds.insert(now, value);
                    self.account()?;
                    pending.pop();
                }
                Err(missing) => pending.push(missing),
            }
        }
        Ok(self.holds[&asked])
    }

    /// The same, if what it rests on is known; otherwise something that must be known first.
    fn attempt(&mut self, (item, side, node): Asked) -> Result<Result<bool, Asked>, Limit> {
        let on = usize::from(side);
        self.game.sides[on].open(node, &mut self.game.labels, self.meter)?;
        let Item { planned, label, mover, .. } = &self.items[item as usize];
        let answers = self.game.sides[on].answers(node, *label);
        let mut work = 1;
        let mut found = Ok(false);
        'entries: for index in answers.start..answers.start + answers.len {
            let step = self.game.sides[on].step(index);
            let mid = self.game.sides[on].mid(index);
            let mut last = None;
            for &(then, before) in &planned.then {
                // Alike parts stand together.
                if last.replace((then, before)) == Some((then, before)) {
                    continue;
                }
                work += 1;
                let at = if before { mid.unwrap_or(node) } else { step.target };
                match self.holds.get(&(then, side, at)) {
                    None => {
                        found = Err((then, side, at));
                        break 'entries;
                    }
                    Some(&value) if value != (self.items[then as usize].mover == *mover) => continue 'entries,
                    Some(_) => {}
                }
            }
            found = Ok(true);
            break;
        }
        self.patience = self.patience.saturating_sub(work);
        self.meter.work(work as usize)?;
        Ok(found)
    }
}
