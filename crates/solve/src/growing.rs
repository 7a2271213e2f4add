//! All games, made breadth first and solved while they grow.
//!
//! Each time the game has doubled, it is solved twice as far as it is made: once with what is not made yet taken for false, once for
//! true. If the first vertex is true in the one or false in the other, that is its value, and the rest is never made (van Dijk's Oink and mCRL2's
//! pbessolve solve partially in like ways; Laveaux, Wesselink and Willemse 2022). Doubling makes all of it cost as much as solving the last two.

use crate::parity::ParityGame;
use crate::{Arena, Expanded};
use std::collections::HashMap;

/// A game as far as it is made.
#[derive(Default)]
pub struct Growing {
    /// Made vertices, in the order in which they were met.
    pub vertices: Vec<u32>,
    numbers: HashMap<u32, u32>,
    /// The game. Vertices from `made` on are not made.
    game: ParityGame,
    /// How often it was solved.
    pub solved: u32,
}

const FIRST: usize = 256;

impl Growing {
    /// The value of a vertex.
    ///
    /// # Errors
    /// If something ran out.
    pub fn solve<A: Arena>(&mut self, arena: &mut A, root: u32) -> Result<bool, A::Stop> {
        let (mut out, mut numbered) = (Vec::new(), Vec::new());
        self.number(root);
        let mut again = FIRST;
        loop {
            let made = self.game.len();
            let Some(&vertex) = self.vertices.get(made) else { break };
            let priority = arena.class(vertex).priority;
            let (all, known) = match arena.expand(vertex, &mut out)? {
                Expanded::Value(value) => (false, Some(value)),
                Expanded::All => (true, None),
                Expanded::Some => (false, None),
            };
            numbered.clear();
            if known.is_none() {
                numbered.extend(out.iter().map(|&to| self.number(to)));
            }
            self.game.push(all, priority, known, &numbered);
            // The numbers, the game, and what solving it needs.
            arena.occupy(self.vertices.len() * 64 + self.game.targets.len() * 12)?;
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

    fn number(&mut self, vertex: u32) -> u32 {
        let new = self.vertices.len() as u32;
        let number = *self.numbers.entry(vertex).or_insert(new);
        if number == new {
            self.vertices.push(vertex);
        }
        number
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
        self.numbers.get(&vertex).is_some_and(|&number| (number as usize) < self.game.len())
    }
}
