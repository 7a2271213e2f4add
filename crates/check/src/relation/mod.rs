//! Are two systems related? Neither is generated beforehand.
//!
//! equivalences-on-the-fly-1991, and on-the-fly-verification-1993, sections 3.1 and 4.2. The printed algorithms accept
//! systems that are not related; `docs/papers.md` lists the errors with counterexamples, which are tests.
//!
//! | module | what |
//! |---|---|
//! | [`side`] | one system as a graph of which only the needed part is made |
//! | [`game`] | the relations: what a pair is obliged to, and what meets an obligation |
//! | [`local`] | the solver: watched candidates, no restart |
//! | [`conjunctive`] | plain reachability, as long as nothing is to be chosen |
//! | [`restart`] | the papers' algorithm, for bounded memory |
//! | [`shortest`] | the shallowest refutation |
//! | [`diagnosis`] | why two systems are not related, as a graph of moves and answers |
//! | [`formula`] | the same as a formula, which is evaluated on both sides before anything is shown |
//! | [`render`] | the same as a story, a sequence and a graph for files |
//! | [`refinement`] | traces, failures and divergences: the relations that compare what is observed, not states |
//!
//! # Who decides
//!
//! [`RelationEngine::Auto`] begins conjunctive and hands over to the local solver at the first choice; if that runs out of memory,
//! the restarts begin anew with what is left beside the two sides. It costs little to find out: what the sides have explored
//! is kept.

mod conjunctive;
pub mod diagnosis;
pub mod formula;
mod game;
mod local;
mod meter;
pub mod refinement;
pub mod render;
mod restart;
mod shortest;
mod side;
mod table;

pub use diagnosis::{Answered, Exchange, GameDiagnosis, LabelKind};
pub use local::PairOrder;
pub use refinement::{Counterexample, Why};
pub use render::SideNames;

use crate::refusal::Refusal;
use conjunctive::{Conjunctive, End};
use elnath_kernel::store::Bitstate;
use elnath_kernel::{Budget, Coverage, Direction, Limit, Relation, System, Verdict};
use game::{Game, Pair, Rules};
use local::{Local, Refutations};
use meter::{Meter, Spender};
use restart::Restart;
use shortest::Shortest;

/// What is asked.
pub struct RelationQuestion<'a> {
    /// The left system.
    pub left: &'a dyn System,
    /// The right system.
    pub right: &'a dyn System,
    /// How they are compared.
    pub relation: Relation,
    /// Both ways, or whether the left one is below the right one.
    pub direction: Direction,
    /// Who decides.
    pub engine: RelationEngine,
    /// In which order pairs are looked at.
    pub order: PairOrder,
    /// Whether a refutation is to be as shallow as possible.
    pub shortest: bool,
    /// How pairs are remembered.
    pub store: PairStore,
    /// Which labels are the internal action.
    pub internal: &'a dyn Fn(&str) -> bool,
}

/// Who decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelationEngine {
    /// Conjunctive as long as that is possible, then the local solver.
    #[default]
    Auto,
    /// The local solver with watched candidates.
    Local,
    /// Reachability of a failing pair; gives up where there is a choice.
    Conjunctive,
    /// The papers' restarts.
    Restart,
}

/// How pairs that were looked at are remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairStore {
    /// All of them.
    #[default]
    Exact,
    /// As many as fit into so many bytes, for the restarts: still a proof.
    Replacing {
        /// Bytes for pairs that may be forgotten.
        bytes: usize,
    },
    /// A few bits each, for the conjunctive engine: "related" is then no proof.
    Bitstate {
        /// Size of the bit array.
        bytes: usize,
        /// Bits per pair.
        k: u32,
    },
}

impl PairStore {
    /// As many pairs as fit into half of this memory: the rest is for the systems and for what may not be forgotten.
    pub fn replacing(memory: usize) -> Self {
        PairStore::Replacing { bytes: memory / 2 }
    }

    /// A few bits for each pair, in an array of half of this memory, and of no more than 2^30 bits.
    pub fn bitstate(memory: usize) -> Self {
        PairStore::Bitstate { bytes: (memory / 2).min(128 << 20), k: Bitstate::DEFAULT_K }
    }

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            PairStore::Exact => "exact",
            PairStore::Replacing { .. } => "replacing",
            PairStore::Bitstate { .. } => "bitstate",
        }
    }
}

/// What decided, and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// `local`, `conjunctive`, `restart` or `shortest`; `antichain` for relations that compare what can be observed; `classes`
    /// where those of two graphs were computed.
    pub engine: &'static str,
    /// Why this one.
    pub why: &'static str,
    /// Depth-first searches made, where there may be several.
    pub passes: Option<u64>,
    /// Pairs forgotten and maybe looked at again.
    pub forgotten: u64,
}

/// Why two systems are not related.
pub enum Difference {
    /// By a relation that compares states: what the one does, and why no answer of the other will do.
    Game(Box<GameDiagnosis>),
    /// By a relation that compares what can be observed: a run of one that the other does not allow.
    Observation(Box<Counterexample>),
}

impl Difference {
    /// In one sentence; the systems are called by these names.
    pub fn headline(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.headline(names),
            Difference::Observation(example) => example.headline(names),
        }
    }

    /// In at most `most` lines.
    pub fn story(&self, names: SideNames<'_>, most: usize) -> Vec<String> {
        match self {
            Difference::Game(diagnosis) => diagnosis.story(names, most),
            Difference::Observation(example) => example.story(names, most),
        }
    }

    /// As a sequence of labels, in CADP's format.
    pub fn seq(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.seq(names),
            Difference::Observation(example) => example.seq(names),
        }
    }

    /// As a graph, in the `.aut` format.
    pub fn aut(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.aut(names),
            Difference::Observation(example) => example.aut(names),
        }
    }

    /// As a picture.
    pub fn svg(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.svg(names),
            Difference::Observation(example) => example.svg(names),
        }
    }

    /// How many exchanges, or labels, it takes until it is decided.
    pub fn depth(&self) -> usize {
        match self {
            Difference::Game(diagnosis) => diagnosis.ranks()[0] as usize,
            Difference::Observation(example) => example.trace.len(),
        }
    }
}

/// The answer, with its figures.
pub struct Comparison {
    /// Whether they are related.
    pub verdict: Verdict<Difference>,
    /// What decided; if there were two comparisons, one each way, what decided the last.
    pub decided: Decided,
    /// Pairs looked at, in all.
    pub pairs: u64,
    /// States seen of the left system and of the right one.
    pub states: [u64; 2],
    /// The most bytes taken at a time.
    pub peak_bytes: usize,
    /// Whether a transition of the left or right system broke a rule of the model; it was compared all the same.
    pub faults: [bool; 2],
}

/// Asks whether two systems are related. A diagnosis is checked on both, in release builds too, before it is returned.
///
/// # Errors
/// If the question cannot be answered this way, or if a diagnosis does not stand up.
pub fn ask(question: &RelationQuestion<'_>, budget: &mut Budget<'_>) -> Result<Comparison, Refusal> {
    let RelationQuestion { left, right, relation, direction, .. } = *question;
    if refinement::decides(relation) {
        return by_observation(question, budget);
    }
    let rules = Rules::of(relation, direction).ok_or(Refusal::NotHere(relation))?;
    check_store(question)?;
    let mut game = Game::new([left, right], &rules, question.internal);
    let mut meter = Meter::new(budget);
    let mut solver = Solver::new(question);
    let mut pairs = 0;
    let mut exchanged = false;
    let verdict = loop {
        let outcome = solver.solve(&mut game, question, &mut meter);
        pairs += solver.pairs;
        match outcome {
            Ok(Outcome::Related(coverage)) if !rules.twice || exchanged => break Verdict::Holds(coverage),
            Ok(Outcome::Related(_)) => {
                game.exchange();
                exchanged = true;
            }
            Ok(Outcome::NotRelated(root, refutations)) => {
                let diagnosis = diagnosis::build(&game, root, &*refutations, exchanged);
                if !formula::confirmed(&diagnosis, [left, right], question.internal) {
                    return Err(Refusal::NO_DIFFERENCE);
                }
                break Verdict::Fails(Difference::Game(Box::new(diagnosis)));
            }
            Ok(Outcome::Choice) => return Err(Refusal::Choice),
            Err(limit) => break Verdict::Unknown(limit),
        }
    };
    if exchanged {
        game.exchange();
    }
    Ok(Comparison {
        verdict,
        decided: solver.decided,
        pairs,
        states: [game.sides[0].states(), game.sides[1].states()],
        peak_bytes: meter.peak(),
        faults: [game.sides[0].faults, game.sides[1].faults],
    })
}

/// The relations that compare what can be observed. Their counterexamples are shortest anyway.
fn by_observation(question: &RelationQuestion<'_>, budget: &mut Budget<'_>) -> Result<Comparison, Refusal> {
    let RelationQuestion { left, right, relation, direction, internal, .. } = *question;
    if question.engine != RelationEngine::Auto || question.store != PairStore::Exact {
        return Err(Refusal::Engine(relation));
    }
    let asked = refinement::RefinementQuestion { left, right, relation, direction, internal };
    let answer = refinement::ask(&asked, budget)?;
    let why = "what can be observed is compared, not states";
    Ok(Comparison {
        verdict: answer.verdict.map(Difference::Observation),
        decided: Decided { engine: "antichain", why, passes: None, forgotten: 0 },
        pairs: answer.pairs,
        states: answer.states,
        peak_bytes: answer.peak_bytes,
        faults: answer.faults,
    })
}

fn check_store(question: &RelationQuestion<'_>) -> Result<(), Refusal> {
    match (question.store, question.engine) {
        (PairStore::Exact, _) => Ok(()),
        (PairStore::Bitstate { .. }, RelationEngine::Conjunctive | RelationEngine::Auto)
            if !question.shortest =>
        {
            Ok(())
        }
        (PairStore::Replacing { .. }, RelationEngine::Restart | RelationEngine::Auto)
            if !question.shortest =>
        {
            Ok(())
        }
        _ => Err(Refusal::PairStore),
    }
}

/// How one comparison, one way, ended.
enum Outcome {
    Related(Coverage),
    NotRelated(Pair, Box<dyn Refutations>),
    Choice,
}

/// Chooses who decides, and remembers who did.
struct Solver {
    decided: Decided,
    pairs: u64,
}

impl Solver {
    fn new(question: &RelationQuestion<'_>) -> Self {
        let (engine, why) = match (question.engine, question.store) {
            (RelationEngine::Local, _) => ("local", "asked for"),
            (RelationEngine::Restart, _) => ("restart", "asked for"),
            (RelationEngine::Auto, PairStore::Replacing { .. }) => {
                ("restart", "the memory for pairs is bounded")
            }
            (RelationEngine::Conjunctive, _) => ("conjunctive", "asked for"),
            (RelationEngine::Auto, _) => ("conjunctive", "no pair leaves a choice"),
        };
        Self { decided: Decided { engine, why, passes: None, forgotten: 0 }, pairs: 0 }
    }

    fn solve(
        &mut self,
        game: &mut Game<'_, '_>,
        question: &RelationQuestion<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Outcome, Limit> {
        self.pairs = 0;
        let root = game.root(meter)?;
        match (question.engine, question.store) {
            (RelationEngine::Local, _) => self.by_local(game, root, question, meter),
            (RelationEngine::Restart, PairStore::Replacing { bytes })
            | (RelationEngine::Auto, PairStore::Replacing { bytes }) => {
                self.by_restart(game, root, Some(bytes), meter)
            }
            (RelationEngine::Restart, _) => self.by_restart(game, root, None, meter),
            (engine @ (RelationEngine::Auto | RelationEngine::Conjunctive), store) => {
                let end = self.by_conjunctive(game, root, question, store, meter)?;
                match end {
                    End::Related(coverage) => Ok(Outcome::Related(coverage)),
                    End::NotRelated(chain) => Ok(Outcome::NotRelated(root, Box::new(chain))),
                    End::Choice if engine == RelationEngine::Conjunctive => Ok(Outcome::Choice),
                    End::Choice => {
                        self.decided.why = "a pair leaves a choice";
                        match self.by_local(game, root, question, meter) {
                            Err(Limit::Memory) if !question.shortest => self.with_less(game, root, meter),
                            decided => decided,
                        }
                    }
                }
            }
        }
    }

    fn by_conjunctive(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        question: &RelationQuestion<'_>,
        store: PairStore,
        meter: &mut Meter<'_, '_>,
    ) -> Result<End, Limit> {
        if let PairStore::Bitstate { bytes, k } = store {
            let (end, pairs) = conjunctive::by_bits(game, root, Bitstate::new(bytes, k), meter)?;
            self.pairs = pairs;
            return Ok(end);
        }
        let order = if question.shortest { PairOrder::BreadthFirst } else { question.order };
        let mut solver = Conjunctive::new(order);
        let end = solver.solve(game, root, meter);
        self.pairs = solver.pairs();
        end
    }

    fn by_local(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        question: &RelationQuestion<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Outcome, Limit> {
        if question.shortest {
            self.decided.engine = "shortest";
            let mut solver = Shortest::new();
            let related = solver.solve(game, root, meter);
            self.pairs = solver.pairs();
            return Ok(Self::outcome(related?, root, solver));
        }
        self.decided.engine = "local";
        let mut solver = Local::new(question.order);
        let related = solver.solve(game, root, meter);
        self.pairs = solver.pairs();
        Ok(Self::outcome(related?, root, solver))
    }

    /// When the local solver has run out of memory: what it took is free again.
    fn with_less(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Outcome, Limit> {
        meter.tick(Spender::Solver, 0, 0)?;
        (self.decided.engine, self.decided.why) = ("restart", "the local solver ran out of memory");
        // Half for what may be forgotten, half for what may not.
        self.by_restart(game, root, Some(meter.room() / 2), meter)
    }

    fn by_restart(
        &mut self,
        game: &mut Game<'_, '_>,
        root: Pair,
        cache: Option<usize>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Outcome, Limit> {
        let mut solver = Restart::new(cache);
        let related = solver.solve(game, root, meter);
        self.pairs = solver.pairs();
        self.decided.passes = Some(self.decided.passes.unwrap_or(0) + solver.passes());
        self.decided.forgotten += solver.forgotten();
        Ok(Self::outcome(related?, root, solver))
    }

    fn outcome(related: bool, root: Pair, solver: impl Refutations + 'static) -> Outcome {
        if related {
            Outcome::Related(Coverage::Exhaustive)
        } else {
            Outcome::NotRelated(root, Box::new(solver))
        }
    }
}
