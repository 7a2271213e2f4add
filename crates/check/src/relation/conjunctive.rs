//! Plain reachability of a failing pair, as long as nothing has to be chosen.
//!
//! The papers' deterministic case (equivalences-on-the-fly-1991, Proposition 3.2) asks for a side that is deterministic as
//! a whole, and means its actions where it should mean the languages of the relation: a side may be deterministic and
//! still reach two states with tau*.a. Here the premise is looked at pair by pair, on the steps of the relation: a pair is
//! *conjunctive* if each obligation with several candidates has one among them that other obligations, with no choice,
//! demand anyway. (A label with at most one target on one of two sides that both challenge, or on the right one if only the
//! left one challenges, is a special case.) A conjunctive pair is related if and only if it does not fail and all the pairs
//! it demands are related. So if all pairs met are conjunctive, the root is related if and only if no failing pair is
//! reachable, and the path to one is an explanation sequence in which every answer is the only one. At the first pair that
//! is not, this engine gives up, and the [local solver](super::local) takes over.
//!
//! Nothing is kept of a pair but that it was met and from where: no obligations and no dependencies. With [`Bitstate`] it is
//! a few bits, as the 1991 paper suggests; then a failing pair that is found is one, and that none is found proves nothing.

use super::game::{Game, Obligation, Pair};
use super::local::{PairOrder, Refutations, Refuted};
use super::meter::{Meter, Spender};
use super::table::Table;
use elnath_kernel::store::{Bitstate, Marks, Room, States};
use elnath_kernel::{Coverage, Limit};
use std::collections::VecDeque;

/// How the walk ended.
pub(crate) enum End {
    /// No failing pair is reachable.
    Related(Coverage),
    /// A failing pair is.
    NotRelated(Chain),
    /// A pair was met whose obligations leave a choice.
    Choice,
}

/// The path to a failing pair.
pub(crate) struct Chain {
    /// The failing pair first.
    pairs: Table,
    /// By the number of a pair: the obligation that failed.
    codes: Vec<u32>,
}

impl Chain {
    /// From pairs with the obligation that leads to the next, the failing one first. No pair is there twice.
    fn new(path: impl IntoIterator<Item = (Pair, u32)>) -> Self {
        let (mut pairs, mut codes) = (Table::new(), Vec::new());
        for (pair, code) in path {
            let (_, new) = pairs.insert(pair);
            debug_assert!(new);
            codes.push(code);
        }
        Self { pairs, codes }
    }
}

impl Refutations for Chain {
    fn refuted(&self, pair: Pair) -> Option<Refuted> {
        let number = self.pairs.find(pair)?;
        Some(Refuted { code: self.codes[number as usize], stamp: number })
    }
}

/// What a pair demands: the obligations that leave no choice, and the pairs that meet them.
struct Demands {
    obligations: Vec<Obligation>,
    pairs: Vec<(Pair, u32)>,
    sorted: Vec<Pair>,
}

/// What looking at one pair gave.
enum Look {
    Fails(u32),
    Choice,
    Demands,
}

impl Demands {
    fn new() -> Self {
        Self { obligations: Vec::new(), pairs: Vec::new(), sorted: Vec::new() }
    }

    fn of(&mut self, game: &mut Game<'_, '_>, pair: Pair, meter: &mut Meter<'_, '_>) -> Result<Look, Limit> {
        game.obligations(pair, &mut self.obligations, meter)?;
        self.pairs.clear();
        for &obligation in &self.obligations {
            match obligation.len {
                0 => return Ok(Look::Fails(obligation.code())),
                1 => {
                    let demanded = game.candidate(pair, obligation, 0).pairs();
                    self.pairs.extend(demanded.map(|met| (met, obligation.code())));
                }
                _ => {}
            }
        }
        self.sorted.clear();
        self.sorted.extend(self.pairs.iter().map(|&(met, _)| met));
        self.sorted.sort_unstable();
        let demanded = |met: Pair| met == pair || self.sorted.binary_search(&met).is_ok();
        let implied = |obligation: &Obligation| {
            (0..obligation.len).any(|k| game.candidate(pair, *obligation, k).pairs().all(demanded))
        };
        let choice = self.obligations.iter().any(|obligation| obligation.len > 1 && !implied(obligation));
        Ok(if choice { Look::Choice } else { Look::Demands })
    }
}

/// The walk with every pair remembered.
pub(crate) struct Conjunctive {
    order: PairOrder,
    table: Table,
    /// Per pair, from where it was met, and by which obligation.
    parents: Vec<(u32, u32)>,
    waiting: VecDeque<u32>,
    demands: Demands,
    looked_at: u64,
}

impl Conjunctive {
    pub(crate) fn new(order: PairOrder) -> Self {
        let (parents, waiting) = (Vec::new(), VecDeque::new());
        Self { order, table: Table::new(), parents, waiting, demands: Demands::new(), looked_at: 0 }
    }

    /// Pairs looked at.
    pub(crate) fn pairs(&self) -> u64 {
        self.looked_at
    }

    /// Whether all pairs were looked at breadth first.
    pub(crate) fn is_breadth_first(&self) -> bool {
        self.order.is_breadth_first(self.looked_at)
    }

    /// How the walk ends, if it does before so much work is done in all.
    pub(crate) fn solve(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        until: u64,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<End>, Limit> {
        if self.table.insert(root).1 {
            self.parents.push((0, 0));
            self.waiting.push_back(0);
        }
        while let Some(number) = self.order.next(&mut self.waiting, self.looked_at) {
            self.looked_at += 1;
            match self.demands.of(game, self.table.pair(number), meter)? {
                Look::Choice => return Ok(Some(End::Choice)),
                Look::Fails(code) => return Ok(Some(End::NotRelated(self.chain(number, code)))),
                Look::Demands => {}
            }
            for &(pair, code) in &self.demands.pairs {
                let (met, new) = self.table.insert(pair);
                if new {
                    self.parents.push((number, code));
                    self.waiting.push_back(met);
                }
            }
            let bytes = self.table.bytes() + 8 * self.parents.capacity() + 4 * self.waiting.capacity();
            meter.tick(Spender::Solver, bytes, self.looked_at)?;
            if meter.spent() >= until {
                return Ok(None);
            }
        }
        Ok(Some(End::Related(Coverage::Exhaustive)))
    }

    fn chain(&self, mut number: u32, code: u32) -> Chain {
        let mut path = vec![(self.table.pair(number), code)];
        while number != 0 {
            let (parent, code) = self.parents[number as usize];
            path.push((self.table.pair(parent), code));
            number = parent;
        }
        Chain::new(path)
    }
}

/// The walk with a few bits per pair, depth first: the path is kept exactly. Returns the pairs looked at as well.
pub(crate) fn by_bits(
    game: &mut Game<'_, '_>,
    root: Pair,
    mut bits: Bitstate,
    meter: &mut Meter<'_, '_>,
) -> Result<(End, u64), Limit> {
    struct Frame {
        pair: Pair,
        /// The obligation that leads to the next pair of the path.
        code: u32,
        /// Demanded and not yet followed.
        demanded: Vec<(Pair, u32)>,
    }
    let mut demands = Demands::new();
    let (mut path, mut enter, mut looked_at) = (Vec::<Frame>::new(), Some(root), 0);
    let bytes_of =
        |path: &Vec<Frame>| path.iter().map(|frame| 32 + 12 * frame.demanded.capacity()).sum::<usize>();
    loop {
        if let Some(pair) = enter.take() {
            looked_at += 1;
            match demands.of(game, pair, meter)? {
                Look::Choice => return Ok((End::Choice, looked_at)),
                Look::Fails(code) => {
                    let before = path.iter().rev().map(|frame| (frame.pair, frame.code));
                    let chain = Chain::new([(pair, code)].into_iter().chain(before));
                    return Ok((End::NotRelated(chain), looked_at));
                }
                Look::Demands => path.push(Frame { pair, code: 0, demanded: demands.pairs.clone() }),
            }
            let path_bytes = if looked_at % 256 == 0 { bytes_of(&path) } else { 0 };
            meter.tick(Spender::Solver, bits.bytes() + path_bytes, looked_at)?;
        }
        let Some(frame) = path.last_mut() else { return Ok((End::Related(bits.coverage()), looked_at)) };
        let Some((pair, code)) = frame.demanded.pop() else {
            path.pop();
            continue;
        };
        let mut key = [0; 8];
        key[..4].copy_from_slice(&pair.0.to_le_bytes());
        key[4..].copy_from_slice(&pair.1.to_le_bytes());
        let hash = bits.hash(&key);
        if pair != root && bits.mark(&key, hash, Room::UNLIMITED)? {
            frame.code = code;
            enter = Some(pair);
        }
    }
}
