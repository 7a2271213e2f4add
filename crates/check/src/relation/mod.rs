//! Are two systems related? Neither is generated beforehand.
//!
//! equivalences-on-the-fly-1991, and on-the-fly-verification-1993, sections 3.1 and 4.2. The printed algorithms accept
//! systems that are not related; `docs/papers.md` lists the errors with counterexamples, which are tests.
//!
//! | module | what |
//! |---|---|
//! | [`side`] | one system as a graph of which only the needed part is made |
//! | [`game`] | the relations: what a pair is obliged to, and what meets an obligation |
//! | [`portfolio`] | who decides: engines that take turns |
//! | [`elnath_solve`] | the engines that play the game on the fly: `watched`, `conjunctive`, `restart` (the papers' algorithm, for bounded memory) and `shortest` |
//! | [`rounds`] | partition refinement of both sides together, with its history |
//! | [`folded`] | the same of smaller systems that are bisimilar, such as quotients |
//! | [`lifted`] | the same for every relation, and any smaller systems: a difference between them as one between the systems |
//! | [`strategy`] | from refuted pairs to few exchanges |
//! | [`diagnosis`] | why two systems are not related, as a graph of moves and answers |
//! | [`formula`] | the same as a formula, which is evaluated on both sides before anything is shown |
//! | [`render`] | the same as a story, a sequence and a graph for files |
//! | [`refinement`] | traces, failures and divergences: the relations that compare what is observed, not states |

pub mod diagnosis;
pub mod folded;
pub mod formula;
mod game;
pub mod lifted;
mod lists;
mod meter;
mod portfolio;
pub mod refinement;
pub mod render;
mod rounds;
mod side;
mod strategy;

pub use diagnosis::{Answered, Exchange, GameDiagnosis, LabelKind};
pub use elnath_solve::Order as PairOrder;
pub use refinement::{Counterexample, Explored, Why};
pub use render::SideNames;

use crate::refusal::Refusal;
use elnath_kernel::store::Bitstate;
use elnath_kernel::{Budget, Coverage, Direction, Limit, Relation, System, Verdict};
use elnath_logic::picture::Picture;
use game::{Game, Rules};
use meter::Meter;
use portfolio::{Outcome, Portfolio};

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
    /// The most work, in transitions and candidates looked at, that a game may take to decide, if others decide when it does not: then no
    /// refinement is done beside it, and the limit that is reached is that of states.
    pub patience: Option<u64>,
    /// Which labels are the internal action.
    pub internal: &'a dyn Fn(&str) -> bool,
}

/// Who decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelationEngine {
    /// The game on the fly and the classes by turns: whoever is first.
    #[default]
    Auto,
    /// The local solver with watched candidates.
    Local,
    /// Reachability of a failing pair; gives up where there is a choice.
    Conjunctive,
    /// The papers' restarts.
    Restart,
    /// The classes of all states of both systems; for relations that are not bisimulations, then a game between these.
    Classes,
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
    /// `local` (watched candidates), `conjunctive`, `restart` or `shortest`; `classes` where those of all states were found first; `antichain` for
    /// relations that compare what can be observed.
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
    /// That they differ is proved, but this ran out before it could be told why.
    Untold(Limit),
}

impl Difference {
    /// In one sentence; the systems are called by these names.
    pub fn headline(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.headline(names),
            Difference::Observation(example) => example.headline(names),
            Difference::Untold(limit) => {
                format!(
                    "that they differ is proved, but the limit of {} was reached before it was known why",
                    limit.name()
                )
            }
        }
    }

    /// In at most `most` lines.
    pub fn story(&self, names: SideNames<'_>, most: usize) -> Vec<String> {
        match self {
            Difference::Game(diagnosis) => diagnosis.story(names, most),
            Difference::Observation(example) => example.story(names, most),
            Difference::Untold(_) => Vec::new(),
        }
    }

    /// As a sequence of labels, in CADP's format.
    pub fn seq(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.seq(names),
            Difference::Observation(example) => example.seq(names),
            Difference::Untold(_) => format!("not related: {}\n", self.headline(names)),
        }
    }

    /// As a graph, in the `.aut` format.
    pub fn aut(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.aut(names),
            Difference::Observation(example) => example.aut(names),
            Difference::Untold(_) => "des (0, 0, 1)\n".to_owned(),
        }
    }

    /// As a picture.
    pub fn svg(&self, names: SideNames<'_>) -> String {
        match self {
            Difference::Game(diagnosis) => diagnosis.svg(names),
            Difference::Observation(example) => example.svg(names),
            Difference::Untold(_) => Picture::graph(vec![(String::new(), false)], 0, &[]).svg(),
        }
    }

    /// How many exchanges, or labels, it takes until it is decided.
    pub fn depth(&self) -> usize {
        match self {
            Difference::Game(diagnosis) => diagnosis.ranks()[0] as usize,
            Difference::Observation(example) => example.trace.len(),
            Difference::Untold(_) => 0,
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
    /// What was explored of pairs of a state and a set of states, where observations are compared.
    pub explored: Option<Explored>,
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
    let mut portfolio = Portfolio::new(question);
    meter.limit_work(question.patience);
    let verdict = loop {
        match portfolio.solve(&mut game, question, &mut meter) {
            Ok(Outcome::Related(coverage)) if !rules.twice || game.exchanged => {
                break Verdict::Holds(coverage);
            }
            Ok(Outcome::Related(_)) => game.exchange(),
            Ok(Outcome::Bisimilar) => break Verdict::Holds(Coverage::Exhaustive),
            Ok(Outcome::NotRelated(refutation)) => {
                // It is decided; to say why may take more work.
                meter.limit_work(None);
                let diagnosis = match portfolio.explain(refutation, &mut game, &mut meter) {
                    Ok((plan, shallowest)) => diagnosis::build(&game, &plan, shallowest),
                    Err(limit) => break Verdict::Fails(Difference::Untold(limit)),
                };
                break match formula::confirmed(&diagnosis, [left, right], question.internal, &mut meter) {
                    Ok(true) => Verdict::Fails(Difference::Game(Box::new(diagnosis))),
                    Ok(false) => return Err(Refusal::NO_DIFFERENCE),
                    Err(limit) => Verdict::Fails(Difference::Untold(limit)),
                };
            }
            Ok(Outcome::Choice) => return Err(Refusal::Choice),
            Err(limit) => break Verdict::Unknown(limit),
        }
    };
    if game.exchanged {
        game.exchange();
    }
    Ok(Comparison {
        verdict,
        decided: portfolio.decided,
        pairs: portfolio.pairs,
        states: [game.sides[0].states(), game.sides[1].states()],
        peak_bytes: meter.peak(),
        faults: [game.sides[0].faults, game.sides[1].faults],
        explored: None,
    })
}

/// The relations that compare what can be observed. Their counterexamples are shortest anyway.
fn by_observation(question: &RelationQuestion<'_>, budget: &mut Budget<'_>) -> Result<Comparison, Refusal> {
    let RelationQuestion { left, right, relation, direction, internal, .. } = *question;
    if question.engine != RelationEngine::Auto || question.store != PairStore::Exact {
        return Err(Refusal::Engine(relation));
    }
    let (antichain, apart) = (true, question.patience.is_some());
    let asked =
        refinement::RefinementQuestion { left, right, relation, direction, internal, antichain, apart };
    let answer = refinement::ask(&asked, budget)?;
    let (engine, why) = match answer.by_classes {
        false => ("antichain", "what can be observed is compared, not states"),
        true => ("classes", "the systems are bisimilar"),
    };
    Ok(Comparison {
        verdict: answer.verdict.map(|told| told.map_or_else(Difference::Untold, Difference::Observation)),
        decided: Decided { engine, why, passes: None, forgotten: 0 },
        pairs: answer.pairs,
        states: answer.states,
        peak_bytes: answer.peak_bytes,
        faults: answer.faults,
        explored: Some(answer.explored),
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
