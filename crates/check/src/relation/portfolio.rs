//! Who decides, and who explains.
//!
//! Two engines know opposite halves of the answer quickly. The game on the fly finds an early difference after a few pairs
//! and needs no graph; but a proof that systems are related, or a late difference, can take as many pairs as their product has. [Partition
//! refinement](super::rounds) takes nearly linear time, but only when everything has been explored. Which of them is faster is
//! not known beforehand. So with [`RelationEngine::Auto`] they take turns, each of which is as long as an eighth of what all
//! have taken: whoever is first decides, and the other has cost about as much again. What is explored of the sides is shared.
//! When everything is explored, no difference was early, and refinement mostly ends after a few times that work: as long as that may
//! be, its turns are four times as long.
//!
//! Two graphs are refined faster elsewhere (`elnath_lts::quotient`). Then the game has a share of the work that this takes, with nothing beside it
//! ([`RelationQuestion::patience`]).
//!
//! The game begins conjunctive and hands over to the local solver at the first choice. If it runs out of memory, what it took is
//! free again for the refinement; if there is none, the restarts begin anew with what is left beside the two sides. A
//! refinement that takes more than half of the memory before everything is explored is given up: the systems are too large.
//!
//! For a relation that is not a bisimulation, being bisimilar is enough, and otherwise the game begins anew with one node
//! of each class. The equivalence of such a relation is two games, and the classes serve both.
//!
//! # Who explains
//!
//! What the local solver refutes it refutes in the order in which it happens to look, and what a refutation rests on may be
//! a hundred thousand pairs. So a shallowest refutation is looked for, as long as that is cheap; then one among those that it has
//! found, and if that is still large, the refinement goes on to its end and explains instead, with a shallowest one.

use super::diagnosis::Planned;
use super::game::{Game, Pair, Played};
use super::meter::{Meter, Spender};
use super::rounds::{self, Rounds};
use super::side::Style;
use super::strategy;
use super::{Decided, PairOrder, PairStore, RelationEngine, RelationQuestion};
use elnath_kernel::store::{Bitstate, Marks, Room, States};
use elnath_kernel::{Coverage, Limit};
use elnath_solve::Refutations;
use elnath_solve::below::{Turn, Whole};
use elnath_solve::conjunctive::{self, Chain, Conjunctive, Marked};
use elnath_solve::restart::Restart;
use elnath_solve::shortest::Shortest;
use elnath_solve::watched::Watched;

/// The work of the first turn.
pub(crate) const FIRST_TURN: u64 = 1 << 14;
/// Exchanges that are few enough to be shown as they are.
const FEW: usize = 500;

/// How one comparison, one way, ended.
pub(crate) enum Outcome {
    Related(Coverage),
    /// Related, both ways.
    Bisimilar,
    NotRelated(Refutation),
    Choice,
}

/// Who has refuted the initial pair.
pub(crate) enum Refutation {
    Pairs(Pair, Box<dyn Refutations<Pair>>),
    /// These ranks are the least there are.
    Shortest(Pair, Box<dyn Refutations<Pair>>),
    Rounds(Rounds),
}

/// Chooses who decides, and remembers who did.
pub(crate) struct Portfolio {
    pub(crate) decided: Decided,
    /// Pairs looked at, in all.
    pub(crate) pairs: u64,
    /// The refinement, as long as it may be of use.
    rounds: Option<Rounds>,
    /// Whether it has been asked for and not given up.
    begun: bool,
    bisimulation: bool,
}

/// Who plays the game on the fly.
enum Player {
    Conjunctive(Conjunctive<Pair>),
    Watched(Watched<Pair>),
    Shortest(Shortest<'static, Pair>),
}

impl Portfolio {
    pub(crate) fn new(question: &RelationQuestion<'_>) -> Self {
        let (engine, why) = match (question.engine, question.store) {
            (RelationEngine::Local, _) => ("local", "asked for"),
            (RelationEngine::Restart, _) => ("restart", "asked for"),
            (RelationEngine::Auto, PairStore::Replacing { .. }) => {
                ("restart", "the memory for pairs is bounded")
            }
            (RelationEngine::Conjunctive, _) => ("conjunctive", "asked for"),
            (RelationEngine::Classes, _) => ("classes", "asked for"),
            (RelationEngine::Auto, _) => ("conjunctive", "no pair leaves a choice"),
        };
        let decided = Decided { engine, why, passes: None, forgotten: 0 };
        Self { decided, pairs: 0, rounds: None, begun: false, bisimulation: false }
    }

    /// Plays one way.
    pub(crate) fn solve(
        &mut self,
        game: &mut Game<'_, '_>,
        question: &RelationQuestion<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Outcome, Limit> {
        let root = game.root(meter)?;
        self.bisimulation = game.is_bisimulation();
        match (question.engine, question.store) {
            (RelationEngine::Local, _) => {
                let mut player = Player::unhurried(question);
                self.decided.engine = player.name();
                let played = player.play(game, root, u64::MAX, meter);
                self.pairs += player.pairs();
                Ok(player.outcome(played?, root))
            }
            (RelationEngine::Conjunctive, PairStore::Exact) => {
                let mut player = Player::first(question);
                let turn = player.play(game, root, u64::MAX, meter);
                self.pairs += player.pairs();
                match turn? {
                    Turn::Choice => Ok(Outcome::Choice),
                    turn => Ok(player.outcome(turn, root)),
                }
            }
            (RelationEngine::Auto, PairStore::Exact) | (RelationEngine::Classes, _) => {
                self.by_turns(game, root, question, meter)
            }
            (RelationEngine::Restart | RelationEngine::Auto, PairStore::Replacing { bytes }) => {
                self.by_restart(game, root, Some(bytes), meter)
            }
            (RelationEngine::Restart, _) => self.by_restart(game, root, None, meter),
            (RelationEngine::Conjunctive | RelationEngine::Auto, PairStore::Bitstate { bytes, k }) => {
                let mut bits = Bitstate::new(bytes, k);
                let occupied = bits.bytes();
                let mark = |pair: Pair| mark(&mut bits, pair);
                let played = &mut Played { game, meter };
                let (end, pairs) = conjunctive::by_marks(played, root, true, mark, occupied)?;
                self.pairs += pairs;
                match end {
                    Marked::Choice if question.engine == RelationEngine::Auto => {
                        self.decided.why = "a pair leaves a choice";
                        self.by_turns(game, root, question, meter)
                    }
                    Marked::Choice => Ok(Outcome::Choice),
                    Marked::Holds => Ok(Outcome::Related(bits.coverage())),
                    Marked::Refuted(chain) => {
                        Ok(Outcome::NotRelated(Refutation::Pairs(root, Box::new(chain))))
                    }
                }
            }
            (RelationEngine::Conjunctive, PairStore::Replacing { .. }) => {
                unreachable!("refused when the question is asked")
            }
        }
    }

    /// The game and the refinement by turns.
    fn by_turns(
        &mut self,
        game: &mut Game<'_, '_>,
        mut root: Pair,
        question: &RelationQuestion<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Outcome, Limit> {
        if !std::mem::replace(&mut self.begun, true) && question.patience.is_none() {
            self.rounds = Some(Rounds::new(game.style, !self.bisimulation));
        }
        // Only the classes were asked for: as long as they are not known nobody plays.
        let alone = question.engine == RelationEngine::Classes;
        let mut player = (!alone || self.rounds.is_none()).then(|| Player::first(question));
        loop {
            let share = FIRST_TURN.max(meter.spent() / 8);
            if let Some(playing) = &mut player {
                let until = match &self.rounds {
                    Some(rounds) if rounds.is_due(meter) => meter.spent() + share / 4,
                    Some(_) => meter.spent() + share,
                    None => u64::MAX,
                };
                self.decided.engine = playing.name();
                match playing.play(game, root, until, meter) {
                    Ok(Turn::Paused) => {}
                    Ok(Turn::Choice) => {
                        self.pairs += playing.pairs();
                        self.decided.why = "a pair leaves a choice";
                        player = Some(Player::unhurried(question));
                        continue;
                    }
                    Ok(turn) => {
                        let player = player.expect("it has played");
                        self.pairs += player.pairs();
                        return Ok(player.outcome(turn, root));
                    }
                    Err(Limit::Memory) => {
                        self.pairs += playing.pairs();
                        player = None;
                        game.forget(meter)?;
                        meter.tick(Spender::Solver, 0, 0)?;
                    }
                    Err(limit) => {
                        self.pairs += playing.pairs();
                        return Err(limit);
                    }
                }
            }
            let Some(rounds) = &mut self.rounds else {
                if player.is_some() {
                    continue;
                }
                if question.shortest || alone {
                    return Err(Limit::Memory);
                }
                (self.decided.engine, self.decided.why) = ("restart", "the local solver ran out of memory");
                // Half for what may be forgotten, half for what may not.
                return self.by_restart(game, root, Some(meter.room() / 2), meter);
            };
            let until = if player.is_some() { meter.spent() + share } else { u64::MAX };
            match rounds.turn(game, until, meter) {
                Ok(rounds::Turn::Paused) if rounds.is_exploring() && meter.is_half_full() => {
                    self.give_up(meter)?;
                }
                Ok(rounds::Turn::Paused) => {}
                Ok(rounds::Turn::Same) => {
                    self.pairs += player.as_ref().map_or(0, Player::pairs);
                    self.decided_by_classes(alone);
                    return Ok(Outcome::Bisimilar);
                }
                Ok(rounds::Turn::Parted) if self.bisimulation => {
                    self.pairs += player.as_ref().map_or(0, Player::pairs);
                    self.decided_by_classes(alone);
                    let rounds = self.rounds.take().expect("it has had its turn");
                    drop(player);
                    game.forget(meter)?;
                    meter.tick(Spender::Solver, 0, 0)?;
                    return Ok(Outcome::NotRelated(Refutation::Rounds(rounds)));
                }
                Ok(rounds::Turn::Parted) => {
                    // From now on with one node of each class.
                    self.pairs += player.as_ref().map_or(0, Player::pairs);
                    let rounds = self.rounds.take().expect("it has had its turn");
                    rounds.let_speak(game);
                    drop(rounds);
                    meter.tick(Spender::Partition, 0, 0)?;
                    player = Some(Player::first(question));
                    root = game.root(meter)?;
                }
                Err(Limit::Memory) => self.give_up(meter)?,
                Err(limit) => {
                    self.pairs += player.as_ref().map_or(0, Player::pairs);
                    return Err(limit);
                }
            }
        }
    }

    fn decided_by_classes(&mut self, asked: bool) {
        self.decided.engine = "classes";
        self.decided.why = if asked { "asked for" } else { "the classes of all states were found first" };
    }

    /// Goes on without the refinement.
    fn give_up(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        self.rounds = None;
        meter.tick(Spender::Partition, 0, 0)
    }

    fn by_restart(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        cache: Option<usize>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Outcome, Limit> {
        let mut solver = Restart::new(true, cache);
        let related = solver.solve(&mut Played { game, meter }, root);
        self.pairs += solver.looked_at();
        self.decided.passes = Some(self.decided.passes.unwrap_or(0) + solver.passes());
        self.decided.forgotten += solver.forgotten();
        Ok(match related? {
            true => Outcome::Related(Coverage::Exhaustive),
            false => Outcome::NotRelated(Refutation::Pairs(root, Box::new(solver))),
        })
    }

    /// Why the initial pair is not related: the exchanges, those of the initial pair first; and whether none are known to be decided sooner.
    ///
    /// # Errors
    /// If a limit is reached before that is known.
    pub(crate) fn explain(
        &mut self,
        refutation: Refutation,
        game: &mut Game<'_, '_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(Vec<Planned>, bool), Limit> {
        let shallowest = |plan: Vec<Planned>| (plan, true);
        // Where a challenge is one step and an answer is more, formulas may begin with internal steps, and be shallower than games.
        let exact = matches!(game.style, Style::Strong | Style::TauStar);
        let plan = match refutation {
            Refutation::Rounds(rounds) => return rounds.explain(game, meter).map(shallowest),
            Refutation::Shortest(root, refutations) => {
                return strategy::planned(game, root, &*refutations, meter).map(|plan| (plan, exact));
            }
            Refutation::Pairs(root, refutations) => match cheaply_shortest(game, root, meter) {
                Ok(Some(plan)) => return Ok((plan, exact)),
                Err(limit) if limit != Limit::Memory => return Err(limit),
                _ => shallow(game, root, &*refutations, meter),
            },
        };
        match (plan, self.rounds.take()) {
            (Err(Limit::Memory), Some(rounds)) => self.by_rounds(rounds, game, meter).map(shallowest),
            (Ok(plan), Some(rounds)) if plan.len() > FEW => match self.by_rounds(rounds, game, meter) {
                Ok(other) if other.len() < plan.len() => Ok((other, true)),
                Err(limit) if limit != Limit::Memory => Err(limit),
                _ => Ok((plan, false)),
            },
            (plan, _) => plan.map(|plan| (plan, false)),
        }
    }

    /// The refinement goes on to its end and explains.
    fn by_rounds(
        &self,
        mut rounds: Rounds,
        game: &mut Game<'_, '_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Planned>, Limit> {
        if !self.bisimulation {
            return Err(Limit::Memory);
        }
        meter.tick(Spender::Solver, 0, 0)?;
        match rounds.turn(game, u64::MAX, meter)? {
            rounds::Turn::Parted => rounds.explain(game, meter),
            turn => unreachable!("the initial nodes are not bisimilar, and this is {turn:?}"),
        }
    }
}

/// The shallowest refutation there is, if it is found with at most half as much work again.
fn cheaply_shortest(
    game: &mut Game<'_, '_>,
    root: Pair,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Vec<Planned>>, Limit> {
    let until = meter.spent() + FIRST_TURN.max(meter.spent() / 2);
    let mut shortest = Shortest::new(true, None);
    match shortest.solve(&mut Played { game, meter }, root, until)? {
        Turn::Paused => Ok(None),
        turn => {
            debug_assert_eq!(turn, Turn::Refuted, "it was refuted before");
            strategy::planned(game, root, &shortest, meter).map(Some)
        }
    }
}

/// The shallowest refutation among those that a solver has found; or as the solver has it, if there is no room to look.
fn shallow(
    game: &mut Game<'_, '_>,
    root: Pair,
    refutations: &dyn Refutations<Pair>,
    meter: &mut Meter<'_, '_>,
) -> Result<Vec<Planned>, Limit> {
    let plan = strategy::planned(game, root, refutations, meter);
    if plan.as_ref().is_ok_and(|plan| plan.len() < FEW) {
        return plan;
    }
    let mut shortest = Shortest::new(true, Some(refutations));
    let found = shortest.solve(&mut Played { game, meter }, root, u64::MAX);
    let found = found.and_then(|_| strategy::planned(game, root, &shortest, meter));
    match (plan, found) {
        (Ok(plan), Ok(found)) => Ok(if found.len() < plan.len() { found } else { plan }),
        (plan, Err(Limit::Memory)) => plan,
        (_, found) => found,
    }
}

/// Marks a pair; whether it is new, as far as the bits know.
fn mark(bits: &mut Bitstate, pair: Pair) -> Result<bool, Limit> {
    let mut key = [0; 8];
    key[..4].copy_from_slice(&pair.0.to_le_bytes());
    key[4..].copy_from_slice(&pair.1.to_le_bytes());
    let hash = bits.hash(&key);
    bits.mark(&key, hash, Room::UNLIMITED)
}

impl Player {
    /// Who begins.
    fn first(question: &RelationQuestion<'_>) -> Self {
        Player::Conjunctive(Conjunctive::new(true, Player::order(question)))
    }

    /// Who can play every game.
    fn unhurried(question: &RelationQuestion<'_>) -> Self {
        if question.shortest {
            Player::Shortest(Shortest::new(true, None))
        } else {
            Player::Watched(Watched::new(true, question.order))
        }
    }

    fn order(question: &RelationQuestion<'_>) -> PairOrder {
        if question.shortest { PairOrder::BreadthFirst } else { question.order }
    }

    fn name(&self) -> &'static str {
        match self {
            Player::Conjunctive(_) => "conjunctive",
            Player::Watched(_) => "local",
            Player::Shortest(_) => "shortest",
        }
    }

    fn pairs(&self) -> u64 {
        match self {
            Player::Conjunctive(walk) => walk.looked_at(),
            Player::Watched(solver) => solver.looked_at(),
            Player::Shortest(solver) => solver.looked_at(),
        }
    }

    /// Goes on until so much work is done in all.
    fn play(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        until: u64,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Turn<Pair>, Limit> {
        let played = &mut Played { game, meter };
        match self {
            Player::Conjunctive(walk) => walk.solve(played, &Whole, root, until),
            Player::Watched(solver) => solver.solve(played, &Whole, root, until),
            Player::Shortest(solver) => solver.solve(played, root, until),
        }
    }

    /// What a game that was played to its end has come to.
    fn outcome(self, turn: Turn<Pair>, root: Pair) -> Outcome {
        if turn == Turn::Holds {
            return Outcome::Related(Coverage::Exhaustive);
        }
        Outcome::NotRelated(match self {
            Player::Conjunctive(walk) => {
                let chain: Box<Chain<Pair>> = Box::new(walk.chain().expect("it leads to a failing pair"));
                // Without a choice, no failing pair is nearer than the first one breadth first.
                match walk.is_breadth_first() {
                    true => Refutation::Shortest(root, chain),
                    false => Refutation::Pairs(root, chain),
                }
            }
            Player::Watched(solver) => Refutation::Pairs(root, Box::new(solver)),
            Player::Shortest(solver) => Refutation::Shortest(root, Box::new(solver)),
        })
    }
}
