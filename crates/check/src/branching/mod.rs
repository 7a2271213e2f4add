//! Branching time: does the initial state satisfy a formula of the mu-calculus or CTL?
//!
//! The formula comes as positions of an alternating automaton ([`elnath_logic::branching::lower`]); the question is the value of the initial state
//! in its first position, in the game of states and positions. Which engine plays it depends on the shape of the formula:
//!
//! | shape | engine |
//! |---|---|
//! | everything is a conjunction, or a disjunction, and no position but the last of a run looks further than its state | the existing searches, over the product with the positions ([`reach`]): all stores, all workers |
//! | kinds of fixpoints do not alternate | [`elnath_solve::blocks`]: block by block, breadth first where one state decides, depth first by components, or with watched candidates |
//! | they do | [`elnath_solve::growing`]: a parity game, solved while it is made |
//!
//! **Replacement.** The 1993 paper asks whether branching time can be verified by a depth-first traversal with replacement. Of the first
//! kind it can: a run to a state is all that is looked for, and to meet a state again costs only time. Of the others it cannot in this way: the
//! value of a state that was forgotten has to be computed again, within the values that were assumed for the states on the path then, and
//! both the time and the meaning of an assumed value depend on the path. So these keep all states, exactly, and refuse other stores.
//!
//! **Evidence.** Whatever engine: the part of the game that proves the value is found by solving what was made once more, with strategies, and
//! is checked on the model as it was written by code that shares nothing with the solvers ([`elnath_solve::proof`]). As a graph of the model it has
//! the states and transitions that the proof uses (Wesselink and Willemse 2018); the formula has the same value on it. [`story`] says in which order
//! a person would tell it.

mod arena;
mod evidence;
pub mod reach;
mod story;

pub use arena::{ActionMatches, BranchingFormula, StateGraph};
pub use evidence::{Evidence, EvidenceStep};
pub use story::{Chapter, Fact, Then, Whatever};

use crate::refusal::Refusal;
use arena::StateArena;
use elnath_kernel::{Budget, Counters, Limit, System};
use elnath_logic::branching::lower::{Block, BlockChoice};
use elnath_logic::branching::{Fixpoint, Positions};
use elnath_solve::blocks::Blocks;
use elnath_solve::growing::Growing;
use elnath_solve::plain::{Expanded, expand};
use elnath_solve::proof::{self, Proof};
use elnath_solve::{Game, Rule};

/// What plays the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchingEngine {
    /// The searches for what can be reached.
    Reachability,
    /// A boolean graph, solved locally.
    Local,
    /// A parity game, solved while it is made.
    Parity,
}

impl BranchingEngine {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            BranchingEngine::Reachability => "reachability",
            BranchingEngine::Local => "boolean graph",
            BranchingEngine::Parity => "parity game",
        }
    }

    /// What it does, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            BranchingEngine::Reachability => "a search for a state that decides, over any store",
            BranchingEngine::Local => "fixpoints do not alternate: a local boolean graph, in linear time",
            BranchingEngine::Parity => "fixpoints alternate: a parity game, solved while it is made",
        }
    }

    /// The one for a formula.
    pub fn for_formula(positions: &Positions) -> Self {
        match () {
            () if reach::Shape::of(positions).is_some() => BranchingEngine::Reachability,
            () if positions.alternation() <= 1 => BranchingEngine::Local,
            () => BranchingEngine::Parity,
        }
    }
}

/// The answer.
#[derive(Clone, Debug)]
pub struct BranchingAnswer {
    /// Whether the initial state satisfies the formula, or what ran out.
    pub value: Result<bool, Limit>,
    /// What shows it, if there is a small proof.
    pub evidence: Option<Evidence>,
    /// The figures of the walk.
    pub counters: Counters,
    /// How many pairs of state and position were looked at.
    pub pairs: u64,
    /// How many states were asked for their successors.
    pub expanded: u64,
    /// Transitions that ran into a fault.
    pub faults: u64,
    /// States in which a proposition had no value and was taken to be false.
    pub undefined: u64,
}

/// The largest proof that is looked for, in pairs of state and position.
pub const LARGEST_PROOF: usize = 200_000;

/// How a block is decided.
pub(crate) fn rule_of(block: &Block) -> Rule {
    let cycle = block.kind == Fixpoint::Greatest;
    match (block.levels, block.choice) {
        (0, _) => Rule::Once,
        (1, BlockChoice::Disjunctive) => Rule::SomeOf(cycle),
        (1, BlockChoice::Conjunctive) => Rule::AllOf(cycle),
        (1, BlockChoice::Mixed) => Rule::Mixed(cycle),
        _ => Rule::Alternating,
    }
}

/// Plays the game with an engine that keeps all states: [`BranchingEngine::Local`] or, for any formula, [`BranchingEngine::Parity`].
/// `as_written` is where the evidence is checked.
///
/// # Errors
/// If the evidence does not stand the check, which is a bug of ours.
pub fn ask(
    system: &dyn System,
    as_written: &dyn System,
    formula: &BranchingFormula<'_>,
    engine: BranchingEngine,
    budget: &mut Budget<'_>,
) -> Result<BranchingAnswer, Refusal> {
    let wanted = WantedProof { largest: LARGEST_PROOF, shortest: true };
    ask_over(&mut StateGraph::default(), (system, as_written), formula, engine, wanted, budget)
}

/// What is wanted beside the value.
#[derive(Clone, Copy, Debug)]
pub struct WantedProof {
    /// The largest proof that is looked for, in pairs of state and position.
    pub largest: usize,
    /// Whether a way to a state that decides should be a shortest one. To find any is often less work.
    pub shortest: bool,
}

/// The same where formulas that do not look at actions follow each other: a state that one has walked is there for the others. Of the
/// systems, which are walked and asked for evidence, only the propositions may be others than before.
///
/// # Errors
/// If the evidence does not stand the check, which is a bug of ours.
pub fn ask_over(
    explored: &mut StateGraph,
    (system, as_written): (&dyn System, &dyn System),
    formula: &BranchingFormula<'_>,
    engine: BranchingEngine,
    wanted: WantedProof,
    budget: &mut Budget<'_>,
) -> Result<BranchingAnswer, Refusal> {
    let graph =
        if formula.positions.ignores_actions() { std::mem::take(explored) } else { StateGraph::default() };
    let mut arena = StateArena::over(graph, system, formula, budget);
    let decided = decide(&mut arena, engine, wanted.shortest);
    let mut answer = BranchingAnswer {
        value: decided.as_ref().map(|(value, ..)| *value).map_err(|limit| *limit),
        evidence: None,
        counters: arena.counters(),
        pairs: arena.pairs(),
        expanded: arena.expanded_states(),
        faults: arena.faults(),
        undefined: arena.undefined,
    };
    let mut found = None;
    match decided {
        // The walk went on without a part of what a transition leads to.
        Ok(_) if arena.gave_up() => answer.value = Err(Limit::Sequence),
        // A constant needs no proof.
        Ok((value, Some(root), made)) => {
            found = proof_of(&mut arena, root, value, &made, wanted.largest).map(|proof| arena.named(&proof));
        }
        _ => {}
    }
    let graph = arena.into_graph();
    if formula.positions.ignores_actions() {
        *explored = graph;
    }
    if let Some(found) = found {
        answer.evidence = Some(evidence::confirmed(as_written, formula, &found)?);
    }
    Ok(answer)
}

enum Made {
    Blocks(Box<Blocks>),
    Growing(Growing),
}

/// The value of the initial state, the vertex of it, and what was made.
fn decide(
    arena: &mut StateArena<'_, '_>,
    engine: BranchingEngine,
    shortest: bool,
) -> Result<(bool, Option<u32>, Made), Limit> {
    let root = match arena.initial()? {
        Ok(root) => root,
        Err(value) => return Ok((value, None, Made::Blocks(Box::default()))),
    };
    if engine == BranchingEngine::Local {
        let mut blocks = if shortest { Blocks::default() } else { Blocks::quick() };
        let value = blocks.solve(arena, root)?;
        return Ok((value, Some(root), Made::Blocks(Box::new(blocks))));
    }
    let mut growing = Growing::default();
    let value = growing.solve(arena, root)?;
    Ok((value, Some(root), Made::Growing(growing)))
}

/// A proof, if there is a small one. Running out on the way to it is not running out of the answer.
fn proof_of(
    arena: &mut StateArena<'_, '_>,
    root: u32,
    value: bool,
    made: &Made,
    most: usize,
) -> Option<Proof> {
    let blocks = match made {
        Made::Blocks(blocks) => blocks,
        Made::Growing(growing) => {
            let was_made = |_: &StateArena<'_, '_>, vertex: u32| growing.was_made(vertex);
            return proof::find(arena, root, value, was_made, most).ok()?;
        }
    };
    let was_met = |arena: &StateArena<'_, '_>, vertex: u32| blocks.was_met(arena, vertex);
    if blocks.least_proof() > most {
        return None;
    }
    let way = blocks.way();
    if way.first() != Some(&root) {
        return proof::find(arena, root, value, was_met, most).ok()?;
    }
    // A shortest way to the vertex that decided, and a proof of why it did.
    let (last, before) = way.split_last()?;
    let step = |from: &u32, to: &u32| (*from, vec![*to]);
    let mut vertices: Vec<(u32, Vec<u32>)> =
        before.iter().zip(&way[1..]).map(|(from, to)| step(from, to)).collect();
    let mut out = Vec::new();
    match expand(arena, *last, &mut Vec::new(), &mut out).ok()? {
        Expanded::Value(_) => vertices.push((*last, Vec::new())),
        _ => {
            // Not one of the way itself: its value comes from this one.
            let own = arena.class(*last).block;
            let decides =
                |&&to: &&u32| arena.class(to).block != own && blocks.value(arena, to) == Some(value);
            let decisive = *out.iter().find(decides)?;
            vertices.push((*last, vec![decisive]));
            let rest = proof::find(arena, decisive, value, was_met, most).ok()??;
            let known: std::collections::HashSet<u32> = vertices.iter().map(|(vertex, _)| *vertex).collect();
            vertices.extend(rest.vertices.into_iter().filter(|(vertex, _)| !known.contains(vertex)));
        }
    }
    Some(Proof { value, vertices })
}
