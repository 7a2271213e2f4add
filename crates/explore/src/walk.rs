//! The overview of a walk: how many states lie on each level, and on which level each action fires first. A breadth-first search with a limit, that
//! tells what it has seen so far; its figures are those of the model as it is written, without reductions.

use crate::jobs::Job;
use crate::wire::Refusal;
use elnath::{Successors, System};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What the states may occupy.
const MEMORY: usize = 1 << 30;
/// The most actions that are listed.
const MOST_ACTIONS: usize = 2000;

/// Walks through at most so many states.
pub(crate) fn walk(system: &dyn System, most: usize, job: &Arc<Job>) -> Result<(), Refusal> {
    let mut stepper = system.stepper();
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    let mut seen: HashSet<Box<[u8]>> = HashSet::from([initial.clone().into_boxed_slice()]);
    let mut level: Vec<Box<[u8]>> = vec![initial.into_boxed_slice()];
    let mut levels = Vec::new();
    let mut first: HashMap<u32, usize> = HashMap::new();
    let mut actions: Vec<Value> = Vec::new();
    let mut successors = Successors::default();
    let (mut transitions, mut bytes) = (0u64, 0);
    let mut why = "all states were met";
    'walk: while !level.is_empty() {
        levels.push(level.len());
        let mut next: Vec<Box<[u8]>> = Vec::new();
        for state in &level {
            stepper.successors(state, &mut successors);
            for successor in successors.iter() {
                transitions += 1;
                let action = stepper.action(state, successor.transition);
                if first.len() < MOST_ACTIONS && !first.contains_key(&action.0) {
                    first.insert(action.0, levels.len());
                    let process = system.events(state, successor.transition).into_iter().next();
                    actions.push(json!({
                        "text": system.action_name(action),
                        "process": process.map_or_else(String::new, |event| event.actor),
                        "level": levels.len(),
                    }));
                }
                if successor.fault.is_none() && !seen.contains(successor.state) {
                    let found: Box<[u8]> = successor.state.into();
                    // Each state is kept twice, with what a table and a list add.
                    bytes += 2 * found.len() + 96;
                    seen.insert(found.clone());
                    next.push(found);
                }
            }
            let so_far = |done: bool, why: &str, waiting: usize| {
                let mut levels = levels.clone();
                levels.extend((waiting > 0).then_some(waiting));
                json!({
                    "levels": levels,
                    "actions": actions,
                    "states": seen.len(),
                    "transitions": transitions,
                    "done": done,
                    "why": why,
                    "seconds": job.seconds(),
                })
            };
            let stopped = match () {
                () if job.is_stopped() => Some("stopped"),
                () if seen.len() >= most => Some("the limit of states is reached"),
                () if bytes > MEMORY => Some("the limit of memory is reached"),
                () => None,
            };
            if let Some(stopped) = stopped {
                job.say("walk", so_far(true, stopped, next.len()));
                why = "";
                break 'walk;
            }
            job.progress("walk", &|| so_far(false, "", next.len()));
        }
        level = next;
    }
    if !why.is_empty() {
        job.say(
            "walk",
            json!({
                "levels": levels, "actions": actions, "states": seen.len(), "transitions": transitions,
                "done": true, "why": why, "seconds": job.seconds(),
            }),
        );
    }
    Ok(())
}
