//! Makes the run to a violation shorter, within a stated effort.
//!
//! A depth-first search finds long runs: it goes on wherever it can, round every loop of the model. Three things are done
//! again and again, as long as they help and the effort lasts:
//!
//! - *Loops are cut*: what lies between two visits of one state is left out.
//! - *Steps are dropped* (delta debugging, Zeller and Hildebrandt 2002): the run is fired again without the steps of one
//!   process, or without one of its pieces, and steps that are no longer possible are skipped. What still ends
//!   in a violation, earlier, is taken.
//! - *Shortcuts are looked for*: from a state of the run a small breadth-first search looks for states that come later in the
//!   run, or for a violation, and the best shortcut is taken. The search becomes larger from pass to pass, as the run becomes shorter.
//!
//! What is found is a run to a violation, not always the same one; it need not be shortest. Shortest runs are
//! what breadth-first search is for, and whoever wants one waits for it (`--shortest`).
//!
//! To search backwards from the violation would meet the run in the middle; steppers only go forwards.

use crate::scout::{effort_of, look};
use elnath_kernel::store::hash64;
use elnath_kernel::{Hooks, Stepper, Successors, System, Transition};
use std::collections::hash_map::{Entry, HashMap};

/// A run to a violation that is at most as long as `run`, which must be one.
///
/// It takes at most about so much `effort`, as [`crate::scout`] counts it, and of the granted memory a part; `stop` is called now
/// and then, and ends it when it says so.
pub(crate) fn shorten<H: Hooks>(
    system: &dyn System,
    hooks: H,
    run: Vec<Transition>,
    (effort, granted): (u64, usize),
    stop: &mut dyn FnMut() -> bool,
) -> Vec<Transition> {
    let (stepper, successors) = (system.stepper(), Successors::default());
    let memory = granted / SHARE_OF_MEMORY;
    let mut shortener = Shortener { stepper, hooks, successors, left: effort, watched: effort, memory, stop };
    let mut root = Vec::new();
    shortener.stepper.initial(&mut root);
    // The run itself, which may be long, is no part of the effort.
    let left = std::mem::replace(&mut shortener.left, u64::MAX);
    shortener.watched = u64::MAX;
    let nothing = Track { states: vec![root], by: Vec::new(), last: None };
    let tail = shortener.fire(&nothing.states[0], run.iter().copied(), usize::MAX);
    shortener.left = left;
    shortener.watched = left;
    let Some(tail) = tail else { return run };
    let mut track = nothing.with_tail(0, tail);
    shortener.shorten(&mut track);
    track.into_steps()
}

/// How many states the first of the breadth-first searches enters; each of the following eight times as many.
const FIRST_RADIUS: usize = 64;
/// One of the searches occupies at most this part of the granted memory.
const SHARE_OF_MEMORY: usize = 4;
/// The stop signal is asked for after so much effort.
const WATCH: u64 = 1 << 16;

/// A run to a violation, with its states.
struct Track {
    /// One more than there are transitions between them.
    states: Vec<Vec<u8>>,
    by: Vec<Transition>,
    /// The transition of the last state that is the violation, if that is not the state itself.
    last: Option<Transition>,
}

/// Where a run goes on from a state of another: the states after that one, with the transitions that lead to them.
struct Tail {
    states: Vec<Vec<u8>>,
    by: Vec<Transition>,
    last: Option<Transition>,
}

impl Tail {
    fn len(&self) -> usize {
        self.by.len() + usize::from(self.last.is_some())
    }
}

impl Track {
    fn len(&self) -> usize {
        self.by.len() + usize::from(self.last.is_some())
    }

    /// The first `keep` steps, and then this tail.
    fn with_tail(mut self, keep: usize, tail: Tail) -> Self {
        self.states.truncate(keep + 1);
        self.by.truncate(keep);
        self.states.extend(tail.states);
        self.by.extend(tail.by);
        Self { last: tail.last, ..self }
    }

    fn into_steps(self) -> Vec<Transition> {
        self.by.into_iter().chain(self.last).collect()
    }

    /// Leaves out what lies between two visits of one state.
    fn cut_loops(&mut self) {
        let last_visit: HashMap<u64, usize> =
            self.states.iter().enumerate().map(|(position, state)| (hash64(state), position)).collect();
        let (mut states, mut by, mut position) = (Vec::new(), Vec::new(), 0);
        loop {
            let visit = last_visit[&hash64(&self.states[position])];
            // Two states may have one hash.
            if self.states[visit] == self.states[position] {
                position = visit;
            }
            states.push(std::mem::take(&mut self.states[position]));
            let Some(&next) = self.by.get(position) else { break };
            by.push(next);
            position += 1;
        }
        (self.states, self.by) = (states, by);
    }
}

struct Shortener<'s, 'w, H> {
    stepper: Box<dyn Stepper + 's>,
    hooks: H,
    successors: Successors,
    /// How much effort may still be made.
    left: u64,
    /// How much that was when `stop` was last called.
    watched: u64,
    /// How many bytes one of the breadth-first searches may occupy.
    memory: usize,
    stop: &'w mut dyn FnMut() -> bool,
}

impl<H: Hooks> Shortener<'_, '_, H> {
    fn shorten(&mut self, track: &mut Track) {
        let mut radius = FIRST_RADIUS;
        while self.left > 0 && track.len() > 1 {
            let before = track.len();
            track.cut_loops();
            self.drop_processes(track);
            self.drop_pieces(track);
            self.take_shortcuts(track, radius);
            if track.len() * 10 > before * 9 {
                // Looking at more is worth more than doing the same again; but where it sees everything, it is not.
                if radius > 1 << 22 {
                    return;
                }
                radius *= 8;
            }
        }
    }

    /// Computes the successors of a state.
    fn expand(&mut self, state: &[u8]) {
        let work = self.stepper.work();
        self.stepper.successors(state, &mut self.successors);
        let effort = self.successors.len() as u64 * effort_of(state.len());
        let work = self.stepper.work() - work;
        self.left = self.left.saturating_sub(1 + effort + work);
        if self.watched - self.left >= WATCH {
            self.watched = self.left;
            if (self.stop)() {
                (self.left, self.watched) = (0, 0);
            }
        }
    }

    /// Fires those of `steps` that are possible, one after the other, until there is a violation: within so many steps.
    fn fire(
        &mut self,
        from: &[u8],
        mut steps: impl Iterator<Item = Transition>,
        most: usize,
    ) -> Option<Tail> {
        let mut tail = Tail { states: Vec::new(), by: Vec::new(), last: None };
        loop {
            let state = tail.states.last().map_or(from, |state| &state[..]).to_vec();
            self.expand(&state);
            if let Some(last) = look(&mut self.hooks, &mut *self.stepper, &state, &self.successors) {
                tail.last = last;
                return (tail.len() <= most).then_some(tail);
            }
            if self.left == 0 || tail.len() >= most {
                return None;
            }
            let enabled = |t: Transition| self.successors.iter().find(|successor| successor.transition == t);
            let next = steps.find_map(enabled)?;
            tail.by.push(next.transition);
            tail.states.push(next.state.to_vec());
        }
    }

    /// Fires the run again without the steps of one process.
    fn drop_processes(&mut self, track: &mut Track) {
        let mut movers: Vec<u32> = track.by.iter().filter_map(|&t| self.stepper.mover(t)).collect();
        movers.sort_unstable();
        movers.dedup();
        for process in movers {
            let steps: Vec<Transition> = track.by.iter().copied().chain(track.last).collect();
            let others: Vec<Transition> =
                steps.into_iter().filter(|&t| self.stepper.mover(t) != Some(process)).collect();
            self.try_tail(track, 0, &others);
        }
    }

    /// Fires the run again without one of its pieces: without halves, then without quarters, and so on.
    fn drop_pieces(&mut self, track: &mut Track) {
        // What is left goes to shortcuts.
        let enough = self.left / 2;
        let mut piece = track.len().div_ceil(2);
        while piece > 0 {
            let mut from = 0;
            while from < track.by.len() {
                if self.left <= enough {
                    return;
                }
                let rest: Vec<Transition> =
                    track.by.iter().skip(from + piece).copied().chain(track.last).collect();
                if !self.try_tail(track, from, &rest) {
                    from += piece;
                }
            }
            piece /= 2;
        }
    }

    /// Takes what these steps lead to after the first `keep` of the run, if that is shorter.
    fn try_tail(&mut self, track: &mut Track, keep: usize, steps: &[Transition]) -> bool {
        let Some(most) = track.len().checked_sub(keep + 1) else { return false };
        let from = std::mem::take(&mut track.states[keep]);
        let tail = self.fire(&from, steps.iter().copied(), most);
        track.states[keep] = from;
        let Some(tail) = tail else { return false };
        let old = std::mem::replace(track, Track { states: Vec::new(), by: Vec::new(), last: None });
        *track = old.with_tail(keep, tail);
        true
    }

    /// Goes along the run and takes the best shortcut that a breadth-first search through so many states finds.
    fn take_shortcuts(&mut self, track: &mut Track, radius: usize) {
        let positions: HashMap<u64, usize> =
            track.states.iter().enumerate().map(|(position, state)| (hash64(state), position)).collect();
        let mut position = 0;
        let mut short = Track { states: vec![track.states[0].clone()], by: Vec::new(), last: None };
        while position < track.by.len() {
            let cut = if self.left > 0 { self.shortcut(track, position, radius, &positions) } else { None };
            match cut {
                Some(Shortcut::Violation(tail)) => {
                    let keep = short.by.len();
                    *track = short.with_tail(keep, tail);
                    return;
                }
                Some(Shortcut::To(later, tail)) => {
                    short.states.extend(tail.states);
                    short.by.extend(tail.by);
                    position = later;
                }
                None => {
                    short.by.push(track.by[position]);
                    position += 1;
                    short.states.push(track.states[position].clone());
                }
            }
        }
        *track = Track { last: track.last, ..short };
    }

    /// The best shortcut from this position.
    fn shortcut(
        &mut self,
        track: &Track,
        position: usize,
        radius: usize,
        positions: &HashMap<u64, usize>,
    ) -> Option<Shortcut> {
        let mut near = Near::new(&track.states[position]);
        // The later position reached, by which of the states entered, and how many steps that saves.
        let mut best: Option<(usize, usize, usize)> = None;
        let mut next = 0;
        while next < near.states.len()
            && near.states.len() < radius
            && near.bytes < self.memory
            && self.left > 0
        {
            let state = near.states[next].clone();
            self.expand(&state);
            let steps = near.steps(next);
            let rest = track.len() - position;
            if let Some(last) = look(&mut self.hooks, &mut *self.stepper, &state, &self.successors)
                && steps + usize::from(last.is_some()) < rest
            {
                return Some(Shortcut::Violation(near.tail(next, last)));
            }
            for successor in self.successors.iter() {
                let hash = hash64(successor.state);
                if !near.enter(hash, successor.state, next, successor.transition) {
                    continue;
                }
                if let Some(&later) = positions.get(&hash)
                    && later > position + steps + 1
                    && track.states[later] == successor.state
                {
                    let saved = later - position - steps - 1;
                    if best.is_none_or(|(_, _, most)| saved > most) {
                        best = Some((later, near.states.len() - 1, saved));
                    }
                }
            }
            next += 1;
        }
        let (later, at, _) = best?;
        Some(Shortcut::To(later, near.tail(at, None)))
    }
}

/// A shorter way.
enum Shortcut {
    /// To a later position of the run.
    To(usize, Tail),
    /// To a violation.
    Violation(Tail),
}

/// The states near another, breadth first.
struct Near {
    seen: HashMap<u64, ()>,
    states: Vec<Vec<u8>>,
    /// By state, which one it was reached from, by which transition, and in how many steps.
    reached: Vec<(usize, Transition, usize)>,
    /// About how much memory all this takes.
    bytes: usize,
}

impl Near {
    /// What a state takes beside its bytes.
    const BESIDE: usize = 96;

    fn new(centre: &[u8]) -> Self {
        Self {
            seen: HashMap::from([(hash64(centre), ())]),
            states: vec![centre.to_vec()],
            reached: vec![(0, Transition(0), 0)],
            bytes: centre.len() + Self::BESIDE,
        }
    }

    fn steps(&self, at: usize) -> usize {
        self.reached[at].2
    }

    /// Enters a state unless one with its hash is there: whether it did.
    fn enter(&mut self, hash: u64, state: &[u8], from: usize, by: Transition) -> bool {
        let Entry::Vacant(free) = self.seen.entry(hash) else { return false };
        free.insert(());
        self.bytes += state.len() + Self::BESIDE;
        self.states.push(state.to_vec());
        self.reached.push((from, by, self.reached[from].2 + 1));
        true
    }

    /// The way from the centre to one of the states.
    fn tail(mut self, at: usize, last: Option<Transition>) -> Tail {
        let (mut states, mut by, mut at) = (Vec::new(), Vec::new(), at);
        while at > 0 {
            states.push(std::mem::take(&mut self.states[at]));
            by.push(self.reached[at].1);
            at = self.reached[at].0;
        }
        states.reverse();
        by.reverse();
        Tail { states, by, last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reachability::{self, Safety};
    use elnath_kernel::replay;
    use elnath_kernel::rng::Rng;
    use elnath_testkit::Graph;

    /// A run that goes anywhere until it cannot go on.
    fn random_run(graph: &Graph, rng: &mut Rng) -> Option<Vec<Transition>> {
        let (mut node, mut run) = (0, Vec::new());
        while run.len() < 3000 {
            let successors = &graph.successors[node as usize];
            if successors.is_empty() {
                return Some(run);
            }
            let choice = rng.below(successors.len() as u64);
            run.push(Transition(choice));
            node = successors[choice as usize];
        }
        None
    }

    fn is_violation(graph: &Graph, run: &[Transition]) -> bool {
        let end = replay(graph, run).expect("a run");
        graph.successors[Graph::decode(end.last()) as usize].is_empty()
    }

    /// A run never becomes longer, stays a run to a violation whatever the effort, and becomes much shorter as a rule.
    #[test]
    fn runs_become_shorter_and_stay_violations() {
        let (mut rng, mut steps, mut left, mut shortest) = (Rng::new(3), 0, 0, 0);
        for _ in 0..60 {
            let mut graph = Graph::random(400, 3, &mut rng);
            for node in 0..graph.successors.len() {
                if graph.successors[node].is_empty() && node % 50 > 0 {
                    graph.successors[node].push(rng.below(400) as u32);
                }
            }
            let Some(run) = random_run(&graph, &mut rng) else { continue };
            for effort in [0, 100, 5_000, 300_000] {
                let hooks = reachability::hooks(&graph, &Safety::DEADLOCKS);
                let short = shorten(&graph, hooks, run.clone(), (effort, usize::MAX), &mut || false);
                assert!(short.len() <= run.len() && is_violation(&graph, &short), "effort {effort}");
                if effort == 300_000 {
                    (steps, left) = (steps + run.len(), left + short.len());
                    let nearest = graph.distances().into_iter();
                    let dead = |node: u32| graph.successors[node as usize].is_empty();
                    shortest +=
                        nearest.filter(|&(node, _)| dead(node)).map(|(_, far)| far).min().unwrap_or(0);
                }
            }
        }
        assert!(steps > 3 * left && left <= shortest * 2, "{steps} steps, {left} left, {shortest} at least");
    }

    /// Whoever stops it gets the run as it was.
    #[test]
    fn stopping_keeps_the_run() {
        let graph =
            Graph { successors: (1..=5000).map(|n| if n < 5000 { vec![n] } else { vec![] }).collect() };
        let run = vec![Transition(0); 4999];
        let hooks = reachability::hooks(&graph, &Safety::DEADLOCKS);
        assert_eq!(shorten(&graph, hooks, run.clone(), (u64::MAX, usize::MAX), &mut || true), run);
    }
}
