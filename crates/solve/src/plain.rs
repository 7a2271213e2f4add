//! Vertices of plain games, flat.
//!
//! A game is *plain* if each vertex is a conjunction of vertices, or a disjunction. Formulas of branching time make such games; pairs of a relation do not. Parity
//! games and proofs are about plain games, and see a vertex as a list of successors.

use crate::{Candidate, Game, Obligation};

/// What a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expanded {
    /// It has this value whatever its successors are.
    Value(bool),
    /// It is true if all its successors are.
    All,
    /// It is true if some successor is.
    Some,
}

/// Says what a vertex is, and puts its successors into `out`, replacing what was there. `obligations` is room for work.
///
/// # Errors
/// If something ran out.
pub fn expand<G: Game<Vertex = u32>>(
    game: &mut G,
    vertex: u32,
    obligations: &mut Vec<Obligation>,
    out: &mut Vec<u32>,
) -> Result<Expanded, G::Stop> {
    out.clear();
    game.obligations(vertex, true, obligations)?;
    let some = match obligations[..] {
        [] => return Ok(Expanded::Value(true)),
        [only] => only.len != 1,
        _ => false,
    };
    for &obligation in &*obligations {
        for number in 0..obligation.len {
            let Some(candidate) = game.candidate(vertex, obligation, number) else { continue };
            debug_assert!(candidate.also.is_none() && (some || obligation.len == 1), "the game is plain");
            let Candidate { target, .. } = candidate;
            out.push(target);
        }
    }
    Ok(match some {
        _ if out.is_empty() => Expanded::Value(false),
        true => Expanded::Some,
        false => Expanded::All,
    })
}
