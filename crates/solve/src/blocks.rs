//! Games whose kinds of fixpoints do not alternate: each block by the engine that its [`Rule`] allows, in linear time.
//!
//! | block | engine |
//! |---|---|
//! | one vertex decides ("can be reached"), and it is the first such block that is met | `wide`, breadth first: the shortest way to that vertex is found, and a shallow one soon |
//! | vertices of one kind, or independent | [`crate::components`], depth first |
//! | both kinds | [`crate::watched`], one solver for each block, which is asked again and again |
//!
//! An engine that needs the value of a vertex of another block pauses, and whoever solves that is asked first. The paused ones are a list and not
//! recursion, since a formula may have thousands of blocks.

use crate::below::{Below, Turn, Whose};
use crate::components::{Other, Values, Walk, decisive};
use crate::order::Order;
use crate::watched::Watched;
use crate::wide::Wide;
use crate::{Class, Game, Rule};

/// The solver, with what it has found out.
#[derive(Default)]
pub struct Blocks {
    values: Values,
    mixed: Mixed,
    /// The walk breadth first, while it goes on, and whether there was one.
    wide: Option<Wide>,
    was_wide: bool,
    /// What it found.
    way: Vec<u32>,
    /// Walks that are not used any more: they go to engines and come back, perhaps once for each vertex of another block, and only their addresses are moved.
    #[expect(clippy::vec_box)]
    spare: Vec<Box<Walk>>,
    active: Vec<Active>,
    /// Bytes of engines that are paused or rest: there may be thousands, and each turn must know.
    resting: usize,
    looked_at: u64,
    least_proof: usize,
    /// Whether no block is walked breadth first to its end.
    quick: bool,
}

/// By block, its solver.
#[derive(Default)]
struct Mixed(Vec<Option<Box<Watched<u32>>>>);

impl Mixed {
    fn value(&self, block: u32, vertex: u32) -> Option<bool> {
        self.0.get(block as usize)?.as_ref()?.value(vertex)
    }

    /// The solver of a block, taken out.
    fn take(&mut self, block: u32, cycle: bool) -> Box<Watched<u32>> {
        let at = block as usize;
        self.0.resize_with(self.0.len().max(at + 1), || None);
        self.0[at].take().unwrap_or_else(|| Box::new(Watched::new(cycle, Order::DepthFirst)))
    }
}

/// An engine at work, and the vertex that it was asked for.
struct Active {
    root: u32,
    class: Class,
    engine: Engine,
}

enum Engine {
    Wide,
    Walk(Box<Walk>),
    Watched(Box<Watched<u32>>),
}

impl Engine {
    fn bytes(&self) -> usize {
        match self {
            // Counted where it is.
            Engine::Wide => 0,
            Engine::Walk(walk) => walk.bytes(),
            Engine::Watched(solver) => solver.bytes(),
        }
    }
}

/// What an engine for one block is told of the others.
struct Known<'a> {
    block: u32,
    values: &'a Values,
    mixed: &'a Mixed,
    bytes: usize,
}

impl Below<u32> for Known<'_> {
    fn of<G: Game<Vertex = u32>>(&self, game: &G, vertex: u32) -> Whose {
        let class = game.class(vertex);
        if class.block == self.block {
            return Whose::Own;
        }
        Whose::Other(match class.rule {
            Rule::Mixed(_) => self.mixed.value(class.block, vertex),
            _ => self.values.value(vertex),
        })
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Blocks {
    /// A solver that looks for any way to a vertex that decides, not for a shortest one: it goes breadth first only as long as that costs little.
    pub fn quick() -> Self {
        Self { quick: true, ..Self::default() }
    }

    /// How many vertices a proof of the first vertex that was asked for has at least.
    pub fn least_proof(&self) -> usize {
        self.least_proof
    }

    /// The value of a vertex, if it is known.
    pub fn value<G: Game<Vertex = u32>>(&self, game: &G, vertex: u32) -> Option<bool> {
        let class = game.class(vertex);
        match class.rule {
            Rule::Mixed(_) => self.mixed.value(class.block, vertex),
            _ => self.values.value(vertex),
        }
    }

    /// Whether a vertex was looked at, and something is known of it.
    pub fn was_met<G: Game<Vertex = u32>>(&self, game: &G, vertex: u32) -> bool {
        let class = game.class(vertex);
        match class.rule {
            Rule::Mixed(_) => {
                let solver = self.mixed.0.get(class.block as usize).and_then(Option::as_ref);
                solver.is_some_and(|solver| solver.was_met(vertex))
            }
            _ => self.values.was_met(vertex),
        }
    }

    /// How many vertices were looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at + self.mixed.0.iter().flatten().map(|solver| solver.looked_at()).sum::<u64>()
    }

    /// The vertices from the first of the block that was walked breadth first to the one that decided there, if one did.
    pub fn way(&self) -> &[u32] {
        &self.way
    }

    /// The value of a vertex.
    ///
    /// # Errors
    /// If something ran out.
    pub fn solve<G: Game<Vertex = u32>>(&mut self, game: &mut G, root: u32) -> Result<bool, G::Stop> {
        if let Some(value) = self.value(game, root) {
            return Ok(value);
        }
        self.begin(game.class(root), root);
        while let Some(mut active) = self.active.pop() {
            self.resting -= active.engine.bytes();
            let turn = self.turn(game, &mut active)?;
            self.resting += active.engine.bytes();
            match turn {
                Turn::Needs(vertex) => {
                    self.active.push(active);
                    self.begin(game.class(vertex), vertex);
                }
                turn => {
                    self.end(active, turn.holds().expect("nobody asked for a pause, and nothing is chosen"));
                }
            }
        }
        Ok(self.value(game, root).expect("it was found out"))
    }

    fn begin(&mut self, class: Class, root: u32) {
        let engine = match class.rule {
            Rule::Mixed(cycle) => Engine::Watched(self.mixed.take(class.block, cycle)),
            rule => match rule.reachability() {
                Some(_) if self.may_go_wide() => {
                    self.was_wide = true;
                    self.wide = Some(Wide::new(class, root));
                    Engine::Wide
                }
                _ => {
                    let mut walk = self.spare.pop().unwrap_or_default();
                    walk.begin(root);
                    Engine::Walk(walk)
                }
            },
        };
        self.active.push(Active { root, class, engine });
    }

    /// Whether a block may be walked breadth first: the first one, unless it is asked for by one that is walked in another way.
    fn may_go_wide(&self) -> bool {
        !self.was_wide
            && !self.quick
            && self.active.iter().all(|active| matches!(active.engine, Engine::Walk(_)))
    }

    fn turn<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        active: &mut Active,
    ) -> Result<Turn<u32>, G::Stop> {
        let Self { values, mixed, wide, .. } = self;
        let Active { root, class, engine } = active;
        let block = class.block;
        match engine {
            Engine::Wide => {
                let wide = wide.as_mut().expect("it goes on");
                wide.go(game, values, |block, vertex| mixed.value(block, vertex), self.resting)
            }
            Engine::Watched(solver) => {
                let bytes = values.bytes() + wide.as_ref().map_or(0, Wide::bytes) + self.resting;
                solver.solve(game, &Known { block, values, mixed, bytes }, *root, u64::MAX)
            }
            Engine::Walk(walk) => {
                let goes_wide = !self.was_wide && !self.quick && self.active.is_empty();
                let others = |from: &Class, to: &Class, vertex: u32| match to.rule {
                    Rule::Mixed(_) => mixed.value(to.block, vertex).map_or(Other::Needed, Other::Known),
                    Rule::Alternating => unreachable!("such a game is solved while it grows"),
                    rule if goes_wide && from.rule == Rule::Once && rule.reachability().is_some() => {
                        Other::Needed
                    }
                    _ => Other::Mine,
                };
                let beside = wide.as_ref().map_or(0, Wide::bytes) + self.resting;
                walk.go(game, values, &mut self.looked_at, beside, others)
            }
        }
    }

    /// An engine has found out whether its root has the value that it assumed.
    fn end(&mut self, active: Active, holds: bool) {
        match (active.engine, active.class.rule) {
            (Engine::Watched(solver), _) => self.mixed.0[active.class.block as usize] = Some(solver),
            (Engine::Walk(walk), rule) => {
                let decisive = decisive(rule).0;
                if rule != Rule::Once
                    && self.active.is_empty()
                    && self.values.value(active.root) != Some(decisive)
                {
                    self.least_proof = walk.of_first_block();
                }
                self.spare.push(walk);
            }
            (Engine::Wide, rule) => {
                let cycle = rule.reachability().expect("it was asked before");
                let wide = self.wide.take().expect("it went on");
                self.looked_at += wide.looked_at;
                if holds {
                    // All have the value of a cycle.
                    if self.active.is_empty() {
                        self.least_proof = wide.met();
                    }
                    wide.members().for_each(|vertex| self.values.decide(vertex, cycle));
                } else {
                    // Those on the way have the value of the one that decided, and of the others nothing is known.
                    self.way = wide.way().expect("one decided");
                    self.way.iter().for_each(|&vertex| self.values.decide(vertex, !cycle));
                }
            }
        }
    }
}
