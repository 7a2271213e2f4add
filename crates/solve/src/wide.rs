//! Breadth first through a block in which one vertex decides for all that lead to it: the shortest way to one is found, and a near one soon.
//!
//! Of a vertex it is kept from where it was met, and nothing else. Where the value of a vertex of another block is needed and its
//! successors do not tell it at once, the walk pauses.

use crate::below::Turn;
use crate::components::{Values, decisive};
use crate::table::{Pages, Vertex};
use crate::{Class, Game, Obligation, Rule};
use std::collections::VecDeque;

/// The walk.
pub(crate) struct Wide {
    /// The value that decides.
    decisive: bool,
    block: u32,
    root: u32,
    /// By vertex: the one that led to it, plus 1; 0 if it was not met.
    parents: Pages<u32>,
    waiting: VecDeque<u32>,
    /// One of which a glance has told that it decides.
    urgent: Option<u32>,
    /// A vertex that needs the value of one of another block, and the number of that candidate.
    interrupted: Option<(u32, Obligation, u32)>,
    obligations: Vec<Obligation>,
    targets: Vec<u32>,
    others: Vec<u32>,
    /// The one that decided.
    decided: Option<u32>,
    met: usize,
    pub(crate) looked_at: u64,
}

impl Wide {
    pub(crate) fn new(class: Class, root: u32) -> Self {
        let mut wide = Self {
            decisive: decisive(class.rule).0,
            block: class.block,
            root,
            parents: Pages::default(),
            waiting: VecDeque::from([root]),
            urgent: None,
            interrupted: None,
            obligations: Vec::new(),
            targets: Vec::new(),
            others: Vec::new(),
            decided: None,
            met: 1,
            looked_at: 0,
        };
        wide.parents.set(root, root + 1);
        wide
    }

    pub(crate) fn bytes(&self) -> usize {
        self.parents.bytes() + 4 * self.waiting.capacity()
    }

    /// How many vertices were met.
    pub(crate) fn met(&self) -> usize {
        self.met
    }

    /// They.
    pub(crate) fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.parents.iter().filter(|&(_, parent)| parent != 0).map(|(vertex, _)| vertex)
    }

    /// The vertices from the root to the one that decided, if one did.
    pub(crate) fn way(&self) -> Option<Vec<u32>> {
        let mut at = self.decided?;
        let mut way = vec![at];
        while at != self.root {
            at = self.parents.get(at) - 1;
            way.push(at);
        }
        way.reverse();
        Some(way)
    }

    /// Goes on until a vertex decides, or there is none, or the value of one of another block is needed. It is assumed that none decides.
    /// `mixed` knows the values of vertices of blocks with both kinds of vertices, `values` those of all others; whoever knows them occupies so many bytes.
    pub(crate) fn go<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        values: &mut Values,
        mixed: impl Fn(u32, u32) -> Option<bool>,
        beside: usize,
    ) -> Result<Turn<u32>, G::Stop> {
        loop {
            let (vertex, obligation, first) = match self.interrupted.take() {
                Some(interrupted) => interrupted,
                None => {
                    let Some(vertex) = self.urgent.take().or_else(|| self.waiting.pop_front()) else {
                        return Ok(Turn::Holds);
                    };
                    self.looked_at += 1;
                    game.occupy(self.bytes() + values.bytes() + beside, self.looked_at)?;
                    game.obligations(vertex, self.decisive, &mut self.obligations)?;
                    match self.obligations[..] {
                        [] => {
                            self.decided = Some(vertex);
                            return Ok(Turn::Refuted);
                        }
                        [obligation] => (vertex, obligation, 0),
                        _ => unreachable!("in this block, one successor decides"),
                    }
                }
            };
            game.targets(vertex, obligation, &mut self.targets);
            for number in first..obligation.len {
                let to = self.targets[number as usize];
                if to == u32::NONE || self.parents.get(to) != 0 {
                    continue;
                }
                let class = game.class(to);
                if class.block == self.block {
                    self.parents.set(to, vertex + 1);
                    self.met += 1;
                    if self.urgent.is_none() && game.glance(to)? == Some(self.decisive) {
                        self.urgent = Some(to);
                    } else {
                        self.waiting.push_back(to);
                    }
                    continue;
                }
                let value = match class.rule {
                    Rule::Mixed(_) => mixed(class.block, to),
                    _ => match values.value(to) {
                        None => {
                            let told = values.at_once(game, to, &mut self.obligations, &mut self.others)?;
                            if told.is_some() {
                                self.looked_at += 1;
                                game.occupy(self.bytes() + values.bytes() + beside, self.looked_at)?;
                            }
                            told
                        }
                        known => known,
                    },
                };
                match value {
                    Some(value) if value == self.decisive => {
                        self.decided = Some(vertex);
                        return Ok(Turn::Refuted);
                    }
                    Some(_) => {}
                    None => {
                        self.interrupted = Some((vertex, obligation, number));
                        return Ok(Turn::Needs(to));
                    }
                }
            }
        }
    }
}
