//! All games, made breadth first and solved while they grow.
//!
//! Each time the game has doubled, it is solved twice as far as it is made: once with what is not made yet taken for false, once for
//! true. If the first vertex is true in the one or false in the other, that is its value, and the rest is never made (van Dijk's Oink and mCRL2's
//! pbessolve solve partially in like ways; Laveaux, Wesselink and Willemse 2022). Doubling makes all of it cost as much as solving the last two.

use crate::Game;
use crate::parity::ParityGame;
use crate::plain::{Expanded, expand};
use crate::table::{Dense, Table};

/// A game as far as it is made.
pub struct Growing {
    /// The vertices, numbered in the order in which they were met.
    vertices: Dense,
    /// The game. Vertices from `made` on are not made.
    game: ParityGame,
    /// How often it was solved.
    pub solved: u32,
}

const FIRST: usize = 256;

impl Default for Growing {
    fn default() -> Self {
        Self { vertices: Dense::new(), game: ParityGame::default(), solved: 0 }
    }
}

impl Growing {
    /// The value of a vertex. The game must be plain.
    ///
    /// # Errors
    /// If something ran out.
    pub fn solve<G: Game<Vertex = u32>>(&mut self, game: &mut G, root: u32) -> Result<bool, G::Stop> {
        let (mut obligations, mut out) = (Vec::new(), Vec::new());
        self.vertices.insert(root);
        let mut again = FIRST;
        loop {
            let made = self.game.len();
            if made == self.vertices.len() {
                break;
            }
            let vertex = self.vertices.vertex(made as u32);
            let priority = game.class(vertex).priority;
            let (all, known) = match expand(game, vertex, &mut obligations, &mut out)? {
                Expanded::Value(value) => (false, Some(value)),
                Expanded::All => (true, None),
                Expanded::Some => (false, None),
            };
            if known.is_some() {
                out.clear();
            }
            out.iter_mut().for_each(|to| *to = self.vertices.insert(*to).0);
            self.game.push(all, priority, known, &out);
            // The game, and what solving it needs.
            let bytes = self.vertices.bytes() + self.vertices.len() * 48 + self.game.targets.len() * 12;
            game.occupy(bytes, self.game.len() as u64)?;
            if self.game.len() == again {
                again *= 2;
                for unmade in [false, true] {
                    let value = self.with_rest(unmade).solve().values[0];
                    self.solved += 1;
                    if value != unmade {
                        return Ok(value);
                    }
                }
            }
        }
        self.solved += 1;
        Ok(self.game.solve().values[0])
    }

    /// The game in which vertices that are not made have a value.
    fn with_rest(&self, value: bool) -> ParityGame {
        let mut game = self.game.clone();
        for _ in game.len()..self.vertices.len() {
            game.push(false, 0, Some(value), &[]);
        }
        game
    }

    /// Whether a vertex was made.
    pub fn was_made(&self, vertex: u32) -> bool {
        self.vertices.find(vertex).is_some_and(|number| (number as usize) < self.game.len())
    }
}
