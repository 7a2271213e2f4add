//! Partition refinement of both sides together: the third engine, for bisimulations.
//!
//! Both sides are explored completely, each node once, and the nodes of both are told apart in *rounds*: after round k, two nodes
//! are in one block if no formula of depth k tells them apart. There are never more blocks than nodes, whereas the pairs that the
//! other engines look at can be as many as the product; and when the initial nodes part, the history of the blocks holds a
//! shallowest formula that tells why ([`explain`]). Against this, nothing is known until everything is explored. So the
//! [portfolio](super::portfolio) has this engine and the local solver take turns.
//!
//! | style | rounds |
//! |---|---|
//! | every step | [`inert`], with no step internal |
//! | the others | [`inert`] until nothing is split; then [`saturated`] on the classes |
//!
//! The round in which two nodes part is the least depth of a formula of the logic of the style.
//!
//! For a relation that is not a bisimulation the classes still help: nodes of one class are related to the same nodes, so one of each
//! class may speak for all ([`Rounds::let_speak`]); and if the initial nodes are in one class, they are related.

mod explain;
mod graph;
mod history;
mod inert;
mod saturated;

use super::diagnosis::Planned;
use super::game::{Game, Pair};
use super::meter::{Meter, Spender};
use super::side::Style;
use elnath_kernel::Limit;
pub(crate) use explain::Fold;
use explain::Unfolded;
use graph::Graph;
use history::History;
use inert::Inert;
use saturated::Saturated;

/// What is known after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Not yet finished.
    Paused,
    /// The initial nodes are bisimilar.
    Same,
    /// They are not.
    Parted,
}

enum Phase {
    Exploring,
    /// Branching classes, before rounds on these.
    Reducing(Box<(Graph, History, Inert)>),
    Refining(Box<Refining>),
}

/// The rounds, and what they have come to.
struct Refining {
    graph: Graph,
    /// By node of both sides, its node in the graph; nothing if they are the same.
    class: Vec<u32>,
    history: History,
    signatures: Signatures,
    /// The nodes of the graph for the initial nodes.
    roots: [u32; 2],
    finished: bool,
}

/// What tells nodes apart in a round.
enum Signatures {
    Inert(Inert),
    Saturated(Saturated),
}

/// The engine, which can be interrupted.
pub(crate) struct Rounds {
    style: Style,
    /// Whether to go on when the initial nodes have parted, until nothing is split.
    whole: bool,
    phase: Phase,
    /// The initial nodes; those of the right side come after all of the left.
    roots: [u32; 2],
    first_right: u32,
    /// The work, of all engines, when everything was explored.
    explored_at: u64,
}

impl Rounds {
    pub(crate) fn new(style: Style, whole: bool) -> Self {
        Self { style, whole, phase: Phase::Exploring, roots: [0; 2], first_right: 0, explored_at: 0 }
    }

    /// Goes on until so much work is done in all, or a little more, since it does not stop within a round.
    pub(crate) fn turn(
        &mut self,
        game: &mut Game<'_, '_>,
        until: u64,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Turn, Limit> {
        // Here the left side is always the one that was left at first.
        let exchanged = game.exchanged;
        if exchanged {
            game.exchange();
        }
        let turn = self.run(game, until, meter);
        if exchanged {
            game.exchange();
        }
        turn
    }

    /// Whether not everything has been explored yet.
    pub(crate) fn is_exploring(&self) -> bool {
        matches!(self.phase, Phase::Exploring)
    }

    /// Whether everything is explored, and most refinements would still be at work.
    pub(crate) fn is_due(&self, meter: &Meter<'_, '_>) -> bool {
        !self.is_exploring() && meter.spent() < 8 * self.explored_at
    }

    fn run(&mut self, game: &mut Game<'_, '_>, until: u64, meter: &mut Meter<'_, '_>) -> Result<Turn, Limit> {
        if self.is_exploring() {
            // There must be something to begin with.
            game.root(meter)?;
        }
        while meter.spent() < until {
            match &mut self.phase {
                Phase::Exploring => {
                    let [left, right] = &mut game.sides;
                    let more = left.explore(&mut game.labels, meter)?;
                    if !right.explore(&mut game.labels, meter)? && !more {
                        self.begin(game, meter)?;
                    }
                }
                Phase::Reducing(reducing) => {
                    let (graph, history, inert) = &mut **reducing;
                    if !inert.round(graph, history, meter)? {
                        let (classes, class) = graph.of_classes(|node| history.of(node), meter)?;
                        self.refine(classes, class);
                    }
                }
                Phase::Refining(refining) => {
                    if refining.finished || !refining.round(meter)? || (!self.whole && refining.parted()) {
                        if !refining.finished {
                            refining.history.close();
                            refining.finished = true;
                        }
                        return Ok(if refining.parted() { Turn::Parted } else { Turn::Same });
                    }
                }
            }
        }
        Ok(Turn::Paused)
    }

    /// Everything is explored.
    fn begin(&mut self, game: &mut Game<'_, '_>, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let Pair(left, right) = game.root(meter)?;
        self.explored_at = meter.spent();
        self.first_right = game.sides[0].nodes() as u32;
        self.roots = [left, self.first_right + right];
        let graph = Graph::of(&game.sides, self.style, meter)?;
        let nodes = graph.len();
        meter.tick(Spender::Partition, graph.bytes() + History::bytes_of(nodes) + 4 * nodes, 0)?;
        match self.style {
            Style::Strong => self.refine(graph, Vec::new()),
            _ => self.phase = Phase::Reducing(Box::new((graph, History::new(nodes), Inert::new(nodes)))),
        }
        Ok(())
    }

    fn refine(&mut self, graph: Graph, class: Vec<u32>) {
        let root = |root: u32| class.get(root as usize).copied().unwrap_or(root);
        let roots = self.roots.map(root);
        let history = History::new(graph.len());
        let signatures = match self.style {
            Style::Strong => Signatures::Inert(Inert::new(graph.len())),
            style => Signatures::Saturated(Saturated::new(style, graph.len())),
        };
        self.phase =
            Phase::Refining(Box::new(Refining { graph, class, history, signatures, roots, finished: false }));
    }

    /// A strategy for the initial nodes, which have parted, with the fewest exchanges in sequence.
    pub(crate) fn explain(
        &self,
        game: &mut Game<'_, '_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Planned>, Limit> {
        self.explain_folded(&Unfolded, game, meter)
    }

    /// The same in another game than the one whose nodes were refined.
    pub(crate) fn explain_folded(
        &self,
        fold: &dyn Fold,
        game: &mut Game<'_, '_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Planned>, Limit> {
        let Phase::Refining(refining) = &self.phase else { unreachable!("asked when the nodes have parted") };
        explain::Explainer::new(self, fold, refining, game, meter).explain()
    }

    /// Has one node of each class stand for all of it in the game. Asked when nothing is split any more.
    pub(crate) fn let_speak(&self, game: &mut Game<'_, '_>) {
        let exchanged = game.exchanged;
        for (index, side) in game.sides.iter_mut().enumerate() {
            let speakers = self.speakers(if exchanged { 1 - index } else { index }, side.nodes());
            side.speak_for(speakers);
        }
    }

    /// By node of a side: the first one in its class.
    fn speakers(&self, side: usize, nodes: usize) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let Phase::Refining(refining) = &self.phase else { unreachable!("asked at the end") };
        let first = if side == 0 { 0 } else { self.first_right };
        let mut speaker = vec![NONE; refining.graph.len()];
        let mut speakers = Vec::with_capacity(nodes);
        for node in 0..nodes as u32 {
            let block = refining.history.of(refining.node(first + node));
            let speaker = &mut speaker[block as usize];
            if *speaker == NONE {
                *speaker = node;
            }
            speakers.push(*speaker);
        }
        speakers
    }

    /// The number of a node of a side among those of both.
    fn number(&self, side: usize, node: u32) -> u32 {
        if side == 0 { node } else { self.first_right + node }
    }
}

impl Refining {
    fn round(&mut self, meter: &mut Meter<'_, '_>) -> Result<bool, Limit> {
        let Self { graph, history, signatures, .. } = self;
        let (split, bytes) = match signatures {
            Signatures::Inert(sets) => (sets.round(graph, history, meter)?, sets.bytes()),
            Signatures::Saturated(sets) => (sets.round(graph, history, meter)?, sets.bytes()),
        };
        let bytes = graph.bytes() + history.bytes() + bytes + 4 * self.class.capacity();
        meter.tick(Spender::Partition, bytes, 0)?;
        Ok(split)
    }

    /// Whether the initial nodes are in different blocks.
    fn parted(&self) -> bool {
        self.history.of(self.roots[0]) != self.history.of(self.roots[1])
    }

    /// The node of the graph for a node of both sides.
    fn node(&self, number: u32) -> u32 {
        self.class.get(number as usize).copied().unwrap_or(number)
    }
}

/// A label or set and a block or set as one number.
fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}
