//! Modules that are blocked for ever by what arrived: unspecified receptions.
//!
//! Estelle never discards a message: an unexpected one stays at the head of its queue. A module is *blocked* in a state if a message is in
//! every queue that it waits for there, and no transition is enabled. This is stable, whatever the others do: guards look at the module's own
//! variables and at the heads of its own queues, and neither changes while it does not move. (A message in a queue for which the state does
//! not wait is only deferred, and no error.)

use crate::lower::Names;
use elnath_program::ir::{Expr, Loc, Unary};

/// The name of the proposition that is false where a module is blocked.
pub const NAME: &str = "no unspecified reception";

/// That no module is blocked; nothing if no module ever waits for a message.
pub fn condition(names: &Names) -> Option<Expr> {
    let all = names.blocked.iter().map(|blocked| blocked.condition.clone());
    let or = |a, b| Expr::Binary(elnath_program::ir::Binary::Or, Box::new([a, b]));
    all.reduce(or).map(|some| Expr::Unary(Unary::Not, Box::new(some)))
}

/// The name of the proposition that is false where a transition waits for room only.
pub const FULL: &str = "no full queue";

/// That no transition waits for room only, if queues have a capacity.
pub fn no_full_queue(names: &Names) -> Option<Expr> {
    names.full.clone().map(|full| Expr::Unary(Unary::Not, Box::new(full)))
}

impl Names {
    /// What is unexpected in a state with a blocked module, in words: the first module that waits and has something in every queue that it
    /// waits for. `locations` are those of the processes, `contents` those of the channels.
    pub fn explain(&self, locations: &[Loc], contents: &[Vec<Vec<i32>>]) -> Option<String> {
        self.blocked.iter().find_map(|blocked| {
            let module = &self.modules[blocked.module];
            let (state, at) = &module.states[blocked.state];
            if !at.contains(locations.get(module.process.index())?) {
                return None;
            }
            let heads: Option<Vec<String>> = blocked
                .queues
                .iter()
                .map(|&queue| {
                    let head = contents.get(queue)?.first()?;
                    let queue = &self.queues[queue];
                    let known = queue.messages.iter().find(|(_, tag)| Some(tag) == head.first());
                    Some(format!("{} in {}", known.map_or("?", |(name, _)| name), queue.name))
                })
                .collect();
            let state = if state.is_empty() { String::new() } else { format!(" in state {state}") };
            Some(format!("unspecified reception: {}{state} cannot take {}", module.name, heads?.join(", ")))
        })
    }
}
