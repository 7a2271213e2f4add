//! Can a place of a Petri net hold any number of tokens, and if not, how many?
//!
//! Decided by coverability ([`elnath_petri::coverability`]); that a place grows for ever is shown by a run whose last steps can be repeated, of which
//! three rounds are replayed.

use crate::driver::Limits;
use crate::frontend::Loaded;
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report, Summary};
use crate::words::plural;
use elnath_check::Refusal;
use elnath_kernel::{Counters, Coverage, Limit, Run, System as _, Transition, Verdict, replay};
use elnath_petri::PetriSystem;
use elnath_petri::coverability::{Coverability, TokenGrowth, coverability};
use std::sync::Arc;

/// What is reported of the places of a net.
pub type NetBoundsReport = Report<TokenFlood, NetBoundsFigures>;
/// What is reported of its property.
pub type NetBoundsProperty = PropertyReport<TokenFlood, NetBoundsFigures>;

/// Steps that can be repeated without end, so that places hold more and more tokens.
#[derive(Clone, Debug)]
pub struct TokenFlood {
    /// What is repeated, and which places grow by it.
    pub growth: TokenGrowth,
    /// The run with [`TokenFlood::ROUNDS`] rounds, replayed.
    pub run: Run,
}

impl TokenFlood {
    /// So many rounds are replayed.
    pub const ROUNDS: usize = 3;
}

/// What is known of the places, and what that took.
#[derive(Clone)]
pub struct NetBoundsFigures {
    /// The net.
    pub net: Arc<PetriSystem>,
    /// By place: the most tokens seen, `None` for any number.
    pub most: Vec<Option<u32>>,
    /// Whether these are the bounds.
    pub complete: bool,
    /// What was done.
    pub counters: Counters,
}

/// The question how many tokens the places of a net can hold, to be asked with [`NetBounds::run`].
pub struct NetBounds<'a> {
    net: Arc<PetriSystem>,
    firings: u64,
    limits: Limits<'a>,
}

impl<'a> NetBounds<'a> {
    /// The question about a model, if it is a net.
    pub fn of(loaded: &Loaded) -> Option<Self> {
        let net = Arc::clone(loaded.petri.as_ref()?);
        Some(Self { net, firings: u64::MAX, limits: Limits::default() })
    }

    /// The most steps fired.
    #[must_use]
    pub fn firings(mut self, firings: u64) -> Self {
        self.firings = firings;
        self
    }

    /// Bytes for markings.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Calls `watch` now and then with the figures so far; a returned limit stops the search.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        self.limits = self.limits.watched(watch);
        self
    }

    /// Asks.
    ///
    /// # Errors
    /// If a run could not be replayed (a bug of elnath).
    pub fn run(mut self) -> Result<NetBoundsReport, Problem> {
        let memory = self.limits.memory.saturating_sub(self.net.bytes());
        let Coverability { most, growth, limit, counters } =
            coverability(&self.net, self.firings, &mut self.limits.budget(memory));
        let verdict = match (growth, limit) {
            (Some(growth), _) => Verdict::Fails(self.replayed(growth)?),
            (None, Some(limit)) => Verdict::Unknown(limit),
            (None, None) => Verdict::Holds(Coverage::Exhaustive),
        };
        let summary = verdict.evidence().map(|flood| self.summary(flood));
        let figures = NetBoundsFigures { net: self.net, most, complete: limit.is_none(), counters };
        let (name, kind, place) = (None, PropertyKind::Boundedness, None);
        let text = "no place grows for ever".to_owned();
        Ok(Report::of(PropertyReport { name, kind, text, place, verdict, summary, figures }, 0))
    }

    /// Replays some rounds, and looks whether each leaves more tokens where it should, and no fewer elsewhere.
    fn replayed(&self, growth: TokenGrowth) -> Result<TokenFlood, Problem> {
        let rounds = std::iter::repeat_n(&growth.round, TokenFlood::ROUNDS).flatten();
        let steps: Vec<Transition> =
            growth.prefix.iter().chain(rounds).map(|&t| Transition(u64::from(t))).collect();
        let run = replay(&*self.net, &steps).map_err(Refusal::from)?;
        let marking =
            |round: usize| self.net.marking(&run.states[growth.prefix.len() + round * growth.round.len()]);
        for round in 0..TokenFlood::ROUNDS {
            let (before, mut expected) = (marking(round), marking(round));
            growth
                .places
                .iter()
                .for_each(|&(place, more)| expected[place as usize] = before[place as usize] + more);
            if growth.places.is_empty() || marking(round + 1) != expected {
                return Err(Refusal::NO_VIOLATION.into());
            }
        }
        Ok(TokenFlood { growth, run })
    }

    fn summary(&self, flood: &TokenFlood) -> Summary {
        let TokenGrowth { prefix, round, places } = &flood.growth;
        let place = |&(place, _): &(u32, u32)| format!("`{}`", self.net.net().places[place as usize].name);
        let names: Vec<String> = places.iter().map(place).collect();
        let grow = if names.len() == 1 { "grows" } else { "grow" };
        let text = format!(
            "{} {grow} for ever: after {}, {} can be repeated without end",
            names.join(" and "),
            plural(prefix.len() as u64, "step"),
            plural(round.len() as u64, "step"),
        );
        Summary {
            loop_start: Some(prefix.len()),
            ..Summary::brief("flood", text, prefix.len() + round.len())
        }
    }
}
