//! The engines as a list: what each needs of a game, and what it promises.
//!
//! Callers that know their game call an engine by its type, since they want its figures and its evidence as well. The list is what the tests run: every engine that can
//! solve a game, beside the definition, which iterates fixpoints.

use crate::below::{Turn, Whole};
use crate::blocks::Blocks;
use crate::conjunctive::Conjunctive;
use crate::growing::Growing;
use crate::restart::Restart;
use crate::shortest::Shortest;
use crate::watched::Watched;
use crate::{Account, Game, Order, Rule};

/// What an engine needs of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// One block, whose cycles have one value.
    OneBlock,
    /// The same; a vertex at which something must be chosen makes it give up.
    NoChoice,
    /// A plain game whose kinds of fixpoints do not alternate.
    NoAlternation,
    /// A plain game.
    Plain,
}

/// What an engine says of a vertex: its value, or nothing if it gives up.
type Answer<G> = Result<Option<bool>, <G as Account>::Stop>;

/// An engine, for a kind of games.
pub struct Engine<G: Game> {
    /// Its name.
    pub name: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// What it promises beside the right value.
    pub promises: &'static str,
    /// The value of a vertex.
    pub solve: fn(&mut G, G::Vertex) -> Answer<G>,
}

/// The engines for games of one block.
pub fn of_one_block<G: Game>() -> Vec<Engine<G>> {
    vec![
        Engine {
            name: "watched",
            needs: Needs::OneBlock,
            promises: "linear time, few vertices, and refutations in an order that explains",
            solve: |game, root| {
                let cycle = cycle_of(game, root);
                let turn = Watched::new(cycle, Order::default()).solve(game, &Whole, root, u64::MAX)?;
                Ok(value(cycle, &turn))
            },
        },
        Engine {
            name: "shortest",
            needs: Needs::OneBlock,
            promises: "the refutation of least rank",
            solve: |game, root| {
                let cycle = cycle_of(game, root);
                let turn = Shortest::new(cycle, None).solve(game, root, u64::MAX)?;
                Ok(value(cycle, &turn))
            },
        },
        Engine {
            name: "restart",
            needs: Needs::OneBlock,
            promises: "vertices may be forgotten; the time has no good bound",
            solve: |game, root| {
                let cycle = cycle_of(game, root);
                let holds = Restart::new(cycle, None).solve(game, root)?;
                Ok(Some(holds == cycle))
            },
        },
        Engine {
            name: "conjunctive",
            needs: Needs::NoChoice,
            promises: "no dependencies are kept; breadth first, the shortest path",
            solve: |game, root| {
                let cycle = cycle_of(game, root);
                let turn =
                    Conjunctive::new(cycle, Order::BreadthFirst).solve(game, &Whole, root, u64::MAX)?;
                Ok(value(cycle, &turn))
            },
        },
    ]
}

/// The engines for plain games of any number of blocks.
pub fn of_plain<G: Game<Vertex = u32>>() -> Vec<Engine<G>> {
    vec![
        Engine {
            name: "blocks",
            needs: Needs::NoAlternation,
            promises: "linear time, and the first block breadth first",
            solve: |game, root| Blocks::default().solve(game, root).map(Some),
        },
        Engine {
            name: "growing",
            needs: Needs::Plain,
            promises: "any alternation",
            solve: |game, root| Growing::default().solve(game, root).map(Some),
        },
    ]
}

fn cycle_of<G: Game>(game: &G, root: G::Vertex) -> bool {
    match game.class(root).rule {
        Rule::Mixed(cycle) | Rule::SomeOf(cycle) | Rule::AllOf(cycle) => cycle,
        Rule::Once | Rule::Alternating => true,
    }
}

fn value<V>(assumed: bool, turn: &Turn<V>) -> Option<bool> {
    turn.holds().map(|holds| holds == assumed)
}
