//! What a program sees of its channels, apart from the messages it takes: whether the prefix argument applies to it.
//!
//! The argument of the report (proposition 3) is that whatever is possible with some contents is possible with longer
//! ones. A program that looks at channels in other ways may break it. Three cases:
//!
//! * Looking at no more than the first L messages, at whether a channel is empty, or comparing its length with a constant
//!   less than L: then everything that can be seen of a channel that grows is the same from the L-th round on, and
//!   replaying as many rounds under the full semantics (priorities, `else`, `timeout` included) decides
//!   ([`crate::pump`]). `full` is a constant of channels without bound.
//! * Looking at all of a channel (its length in any other way; the receive that searches, the send that sorts): then it
//!   may not grow in the repeated sequence, but if its contents are the same after it as before, it plays no part. Such a
//!   channel is called *closely watched*, and counts as part of the control.
//! * Not looking at all.

use crate::points::{Channels, Points, Site};
use elnath_program::analysis::{Observation, Operation, Purpose, observation, operations};
use elnath_program::ir::{Binary, ChannelQuery, Expr, ProcessId, Program, Unary};
use std::collections::BTreeMap;

/// What is seen of channels.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The channels that are watched closely, and by what.
    pub close: BTreeMap<Site, &'static str>,
    /// How many messages from the front are looked at, at most; longer contents look alike.
    pub ahead: usize,
}

/// What a program sees of its channels.
pub fn observe(program: &Program, points: &Points<'_>) -> Observed {
    let mut observed = Observed { close: BTreeMap::new(), ahead: 1 };
    for (id, process) in program.processes.iter().enumerate() {
        let mut eye =
            Eye { own: Some(ProcessId(id as u32)), points, observed: &mut observed, harmless: Vec::new() };
        if let Some(provided) = &process.provided {
            eye.condition(provided);
            provided.for_each(&mut |expr| eye.look(expr));
        }
        for command in &process.commands {
            eye.harmless.clear();
            for operation in operations(command) {
                match operation {
                    Operation::Evaluate(expr, purpose) => {
                        if let Purpose::Guard = purpose {
                            eye.condition(expr);
                        }
                        expr.for_each(&mut |expr| eye.look(expr));
                    }
                    Operation::Send { channel, sorted: true, .. } => {
                        eye.close(channel, "a send that sorts");
                    }
                    Operation::Receive { channel, random: true, .. } => {
                        eye.close(channel, "a receive that searches");
                    }
                    _ => {}
                }
            }
        }
    }
    observed
}

struct Eye<'o, 'p> {
    own: Option<ProcessId>,
    points: &'o Points<'p>,
    observed: &'o mut Observed,
    /// Lengths of which only so much is seen as [`Observed::ahead`] says. Expressions are met before what is in them.
    harmless: Vec<*const Expr>,
}

impl Eye<'_, '_> {
    /// An expression of which only the truth matters: a length there is a test for emptiness.
    fn condition(&mut self, expr: &Expr) {
        if let Expr::Channel(ChannelQuery::Len, _) = expr {
            self.harmless.push(std::ptr::from_ref(expr));
        }
    }

    fn look(&mut self, expr: &Expr) {
        match observation(expr) {
            Some(Observation::Messages { ahead, random: false, .. }) => {
                self.observed.ahead = self.observed.ahead.max(ahead as usize + 1);
            }
            Some(Observation::Messages { channel, random: true, .. }) => {
                self.close(channel, "a poll that searches");
            }
            Some(Observation::Length { query: ChannelQuery::Len, channel })
                if !self.harmless.contains(&std::ptr::from_ref(expr)) =>
            {
                self.close(channel, "its length as a number");
            }
            _ => self.operator(expr),
        }
    }

    /// What operators make of lengths.
    fn operator(&mut self, expr: &Expr) {
        match expr {
            Expr::Binary(operator, sides) => match constant_side(sides) {
                Some(number) if compares(*operator) && number < LONGEST => {
                    let seen = usize::try_from(number).unwrap_or(0) + 2;
                    self.observed.ahead = self.observed.ahead.max(seen);
                    self.harmless.extend(sides.iter().map(std::ptr::from_ref));
                }
                _ if matches!(operator, Binary::And | Binary::Or) => {
                    sides.iter().for_each(|side| self.condition(side));
                }
                _ => {}
            },
            Expr::Unary(Unary::Not, operand) => self.condition(operand),
            Expr::Cond(parts) => self.condition(&parts[0]),
            _ => {}
        }
    }

    fn close(&mut self, channel: &Expr, why: &'static str) {
        let sites = match self.points.of(self.own, channel) {
            Channels::Known(sites) => sites,
            Channels::Any => self.points.sites().iter().copied().collect(),
        };
        for site in sites {
            self.observed.close.entry(site).or_insert(why);
        }
    }
}

/// A comparison with more than this would need too many rounds to be replayed.
const LONGEST: i32 = 1 << 12;

fn compares(operator: Binary) -> bool {
    matches!(operator, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
}

/// The constant that a length is compared with.
fn constant_side(sides: &[Expr; 2]) -> Option<i32> {
    match sides {
        [Expr::Channel(ChannelQuery::Len, _), Expr::Const(number)]
        | [Expr::Const(number), Expr::Channel(ChannelQuery::Len, _)] => Some(*number),
        _ => None,
    }
}
