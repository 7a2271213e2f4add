//! Modules that are blocked for ever by what arrived: unspecified receptions.
//!
//! Estelle never discards a message: an unexpected one stays at the head of its queue. A module is *blocked* in a state if a message is in
//! every queue that it waits for there, and no transition is enabled. This is stable, whatever the others do: guards look at the module's own
//! variables and at the heads of its own queues, and neither changes while it does not move. (A message in a queue for which the state does
//! not wait is only deferred, and no error.)

use crate::lower::{Blocked, Names};
use elnath_program::ir::{Binary, Expr, Loc, Unary};

/// The name of the propositions that are false where a module is blocked.
pub const NAME: &str = "no unspecified reception";

/// There are at most 64 propositions; what is left is for other properties.
const MOST: usize = 48;

/// That no module is blocked: a condition for each module that ever waits for a message (if there are very many, the last is for several).
pub fn conditions(names: &Names) -> Vec<Expr> {
    let or = |a, b| Expr::Binary(Binary::Or, Box::new([a, b]));
    let mut all: Vec<Expr> = Vec::new();
    for of_module in names.blocked.chunk_by(|a, b| a.module == b.module) {
        let condition = of_module.iter().map(|blocked| blocked.condition.clone()).reduce(or);
        let last = if all.len() < MOST { None } else { all.pop() };
        all.extend(last.into_iter().chain(condition).reduce(or));
    }
    all.into_iter().map(|some| Expr::Unary(Unary::Not, Box::new(some))).collect()
}

/// The name of the proposition that is false where a transition waits for room only.
pub const FULL: &str = "no full queue";

/// That no transition waits for room only, if queues have a capacity.
pub fn no_full_queue(names: &Names) -> Option<Expr> {
    names.full.clone().map(|full| Expr::Unary(Unary::Not, Box::new(full)))
}

impl Names {
    /// What is unexpected in a state in which the condition with this number is false, in words. `locations` are those of the processes,
    /// `contents` those of the channels.
    pub fn explain(&self, number: usize, locations: &[Loc], contents: &[Vec<Vec<i32>>]) -> Option<String> {
        let is_here = |blocked: &&Blocked| {
            let module = &self.modules[blocked.module];
            locations
                .get(module.process.index())
                .is_some_and(|at| module.states[blocked.state].1.contains(at))
        };
        let mut of_modules = self.blocked.chunk_by(|a, b| a.module == b.module);
        let blocked = of_modules.nth(number)?.iter().find(is_here)?;
        let module = &self.modules[blocked.module];
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
        let (state, _) = &module.states[blocked.state];
        let state = if state.is_empty() { String::new() } else { format!(" in state {state}") };
        Some(format!("unspecified reception: {}{state} cannot take {}", module.name, heads?.join(", ")))
    }
}
