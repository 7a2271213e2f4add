//! The part of a game that proves the value of a vertex, and the check of it.
//!
//! A proof is a set of vertices with one value: of a vertex that its winner may choose from it has one successor, of the others all. It is right if
//! each vertex has what it must have, and if no run for ever within it is decided for the other side: every cycle's largest priority
//! has the right parity (Namjoshi 2001 calls this a certificate). [`Proof::check`] tests exactly that on a game of its own, which may be another
//! system than the one that was solved, and knows nothing of how the proof was found.

use crate::Game;
use crate::parity::ParityGame;
use crate::plain::{Expanded, expand};
use crate::table::{Dense, Table};
use std::collections::HashMap;

/// A proof of the value of its first vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The value that all its vertices have.
    pub value: bool,
    /// The vertices, each with those of its successors that belong to the proof.
    pub vertices: Vec<(u32, Vec<u32>)>,
}

/// Why a proof is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A vertex has the other value by itself.
    Value(u32),
    /// A vertex has a successor that is needed and is not there.
    Missing(u32),
    /// A vertex has a successor in the proof that it has not in the game.
    Invented(u32),
    /// A run within the proof is decided for the other side, through this vertex.
    Cycle(u32),
}

/// Finds a proof for `root`, which has this value, in a plain game, among the vertices that `made` admits; nothing if there are more than `most`.
///
/// # Errors
/// If something ran out.
pub fn find<G: Game<Vertex = u32>>(
    arena: &mut G,
    root: u32,
    value: bool,
    made: impl Fn(&G, u32) -> bool,
    most: usize,
) -> Result<Option<Proof>, G::Stop> {
    let (mut vertices, mut game) = (Dense::new(), ParityGame::default());
    vertices.insert(root);
    let (mut room, mut out) = (Vec::new(), Vec::new());
    while game.len() < vertices.len() {
        let vertex = vertices.vertex(game.len() as u32);
        if vertices.len() > most {
            return Ok(None);
        }
        let priority = arena.class(vertex).priority;
        if !made(arena, vertex) {
            game.push(false, priority, Some(!value), &[]);
            continue;
        }
        let (all, known) = match expand(arena, vertex, &mut room, &mut out)? {
            Expanded::Value(value) => (false, Some(value)),
            Expanded::All => (true, None),
            Expanded::Some => (false, None),
        };
        if known.is_some() {
            out.clear();
        }
        out.iter_mut().for_each(|to| *to = vertices.insert(*to).0);
        game.push(all, priority, known, &out);
    }
    let solution = game.solve();
    assert_eq!(solution.values[0], value, "what was made decides the first vertex");
    let mut proof = Proof { value, vertices: Vec::new() };
    let mut reached: HashMap<u32, ()> = HashMap::from([(0, ())]);
    let mut todo = std::collections::VecDeque::from([0u32]);
    while let Some(at) = todo.pop_front() {
        let chosen = solution.strategy[at as usize];
        let owned = game.known[at as usize].is_none() && game.all[at as usize] != value;
        let successors: Vec<u32> = match owned {
            _ if game.known[at as usize].is_some() => Vec::new(),
            true => vec![chosen],
            false => {
                let mut all = game.successors(at).to_vec();
                all.sort_unstable();
                all.dedup();
                all
            }
        };
        for &to in &successors {
            if reached.insert(to, ()).is_none() {
                todo.push_back(to);
            }
        }
        let named = successors.iter().map(|&to| vertices.vertex(to)).collect();
        proof.vertices.push((vertices.vertex(at), named));
    }
    Ok(Some(proof))
}

impl Proof {
    /// Checks it on a game, which must be plain.
    ///
    /// # Errors
    /// If something ran out; else the first flaw.
    pub fn check<G: Game<Vertex = u32>>(&self, arena: &mut G) -> Result<Result<(), Flaw>, G::Stop> {
        let numbers: HashMap<u32, usize> =
            self.vertices.iter().enumerate().map(|(number, (vertex, _))| (*vertex, number)).collect();
        let (mut room, mut out) = (Vec::new(), Vec::new());
        for (vertex, successors) in &self.vertices {
            let what = expand(arena, *vertex, &mut room, &mut out)?;
            let all = match what {
                Expanded::Value(value) if value == self.value => continue,
                Expanded::Value(_) => return Ok(Err(Flaw::Value(*vertex))),
                Expanded::All => true,
                Expanded::Some => false,
            };
            if successors.iter().any(|to| !out.contains(to)) {
                return Ok(Err(Flaw::Invented(*vertex)));
            }
            let has = |to: &u32| successors.contains(to) && numbers.contains_key(to);
            let complete = if all == self.value { out.iter().all(has) } else { out.iter().any(has) };
            if !complete {
                return Ok(Err(Flaw::Missing(*vertex)));
            }
        }
        let priorities: Vec<u32> =
            self.vertices.iter().map(|(vertex, _)| arena.class(*vertex).priority).collect();
        let edge = |to: &u32| numbers.get(to).map(|&to| to as u32);
        let edges: Vec<Vec<u32>> =
            self.vertices.iter().map(|(_, to)| to.iter().filter_map(edge).collect()).collect();
        Ok(match wrong_cycle(&edges, &priorities, self.value) {
            Some(at) => Err(Flaw::Cycle(self.vertices[at as usize].0)),
            None => Ok(()),
        })
    }
}

/// A vertex on a cycle whose largest priority is decided for the other side: for each such priority, one that leads back to itself
/// through none that are larger.
fn wrong_cycle(edges: &[Vec<u32>], priorities: &[u32], value: bool) -> Option<u32> {
    let mut bad: Vec<u32> =
        priorities.iter().copied().filter(|priority| (priority % 2 == 0) != value).collect();
    bad.sort_unstable();
    bad.dedup();
    bad.into_iter().find_map(|most| {
        let component = component_numbers(edges, |at| priorities[at as usize] <= most);
        (0..edges.len() as u32).find(|&at| {
            let own = component[at as usize];
            let back = |to: &u32| own != 0 && component[*to as usize] == own;
            priorities[at as usize] == most && edges[at as usize].iter().any(back)
        })
    })
}

/// The strongly connected components among some vertices, by number; 0 outside (Kosaraju's two passes, to share nothing with the solvers).
fn component_numbers(edges: &[Vec<u32>], inside: impl Fn(u32) -> bool) -> Vec<u32> {
    let count = edges.len();
    let mut back: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (from, to) in edges.iter().enumerate() {
        to.iter().for_each(|&to| back[to as usize].push(from as u32));
    }
    let (mut seen, mut order) = (vec![false; count], Vec::with_capacity(count));
    for start in 0..count as u32 {
        let mut path = vec![(start, 0usize)];
        if seen[start as usize] || !inside(start) {
            continue;
        }
        seen[start as usize] = true;
        while let Some((at, next)) = path.last_mut() {
            match edges[*at as usize].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if inside(to) && !std::mem::replace(&mut seen[to as usize], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(*at);
                    path.pop();
                }
            }
        }
    }
    let (mut component, mut number) = (vec![0; count], 0);
    for &start in order.iter().rev() {
        if component[start as usize] != 0 {
            continue;
        }
        number += 1;
        let mut todo = vec![start];
        component[start as usize] = number;
        while let Some(at) = todo.pop() {
            for &to in &back[at as usize] {
                if inside(to) && component[to as usize] == 0 {
                    component[to as usize] = number;
                    todo.push(to);
                }
            }
        }
    }
    component
}
