//! A walk through all states of a system that is known to be bounded: how many messages each channel holds at the most.
//!
//! Breadth first, so that the runs to where channels hold most are shortest, and without looking at pairs.

use crate::clock::Clock;
use crate::theta::{Figures, OVERHEAD, Peak, Peaks, first_peaks};
use crate::view::{Effect, Fifos};
use elnath_kernel::{Limit, Transition, Watch};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// What it may cost.
pub struct Limits<'a> {
    /// Longest run.
    pub depth: usize,
    /// Most transitions fired.
    pub firings: u64,
    /// Bytes for states.
    pub memory: usize,
    /// Called now and then.
    pub watch: &'a mut Watch<'a>,
}

struct Reached {
    state: Rc<[u8]>,
    from: usize,
    by: Transition,
    depth: usize,
}

/// Walks through all states; what ran out, if something did.
pub fn explore(
    fifos: &mut dyn Fifos,
    root: &[u8],
    limits: &mut Limits<'_>,
    peaks: &mut Peaks,
) -> (Option<Limit>, Figures) {
    first_peaks(fifos, root, peaks);
    let mut figures = Figures::default();
    let mut reached = vec![Reached { state: root.into(), from: 0, by: Transition(0), depth: 0 }];
    // By channel: the state from which, and the transition by which, it was found to hold most.
    let mut found: BTreeMap<usize, (usize, Transition)> = BTreeMap::new();
    let limit = walk(fifos, limits, peaks, &mut figures, &mut reached, &mut found).err();
    for (number, (mut at, by)) in found {
        let Some(peak) = peaks.get_mut(&number) else { continue };
        peak.state = reached[at].state.to_vec();
        peak.run = vec![by];
        while at != 0 {
            peak.run.push(reached[at].by);
            at = reached[at].from;
        }
        peak.run.reverse();
    }
    (limit, figures)
}

fn walk(
    fifos: &mut dyn Fifos,
    limits: &mut Limits<'_>,
    peaks: &mut Peaks,
    figures: &mut Figures,
    reached: &mut Vec<Reached>,
    found: &mut BTreeMap<usize, (usize, Transition)>,
) -> Result<(), Limit> {
    let mut known: HashSet<Rc<[u8]>> = HashSet::from([Rc::clone(&reached[0].state)]);
    let (mut enabled, mut next, mut effect) = (Vec::new(), Vec::new(), Effect::default());
    let (mut index, mut clock) = (0, Clock::default());
    figures.bytes = reached[0].state.len() + OVERHEAD;
    while index < reached.len() {
        let (from, depth) = (Rc::clone(&reached[index].state), reached[index].depth);
        figures.states += 1;
        figures.depth = figures.depth.max(depth);
        fifos.enabled(&from, &mut enabled);
        for &t in &enabled {
            if figures.fired >= limits.firings {
                return Err(Limit::States);
            }
            figures.fired += 1;
            if clock.is_due(fifos.work())
                && let Some(limit) = (limits.watch)(&figures.counters())
            {
                return Err(limit);
            }
            if let Err(fault) = fifos.fire(&from, t, &mut next, &mut effect) {
                figures.faults += 1;
                if fifos.gave_up(fault) {
                    return Err(Limit::Sequence);
                }
                continue;
            }
            for &(number, length) in &effect.peaks {
                let peak = peaks.entry(number).or_default();
                if length > peak.length || peak.state.is_empty() {
                    *peak = Peak { length, state: from.to_vec(), ..Peak::default() };
                    found.insert(number, (index, t));
                }
            }
            if known.contains(&next[..]) {
                continue;
            }
            figures.bytes += next.len() + 2 * OVERHEAD;
            if figures.bytes > limits.memory {
                return Err(Limit::Memory);
            }
            if depth >= limits.depth {
                return Err(Limit::Depth);
            }
            let state: Rc<[u8]> = next[..].into();
            known.insert(Rc::clone(&state));
            reached.push(Reached { state, from: index, by: t, depth: depth + 1 });
        }
        index += 1;
    }
    Ok(())
}
